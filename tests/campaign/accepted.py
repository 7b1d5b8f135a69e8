"""The mistakes that are accepted on purpose, by kind of file, kind of mistake and place, with the reason."""

FREE = "words for a reader: any will do"
LEFT_OUT = "its schema does not require it: without it there is nothing of that kind"
OWN = "at this scale, or for this algorithm, the experiment's own holds"
LARGE = "a finite number: a rate or a bound may be large, and a run that diverges is told"
INSIDE = "a name inside an archive, or of a mirror's folder, which only these can tell"
ACCEPTED: dict[str, str] = {
    # words
    "*: unknown name *title": FREE,
    "*: unknown name *label": FREE,
    "*: unknown name *note": FREE,
    "*: unknown name *about": FREE,
    "*: unknown name *.text": FREE,
    "paper: unknown name *.head": FREE,
    "experiment: unknown name question": FREE,
    "experiment: unknown name *proxy_for": FREE,
    "claims: unknown name claims.*.source": FREE,
    "claims: unknown name claims.*.quote": FREE,
    "claims: unknown name claims.*.statement": FREE,
    "claims: unknown name claims.*.threshold_from": FREE,
    "claims: unknown name claims.*.by_construction": FREE,
    "paper: unknown name short": FREE,
    "paper: unknown name authors.*": FREE,
    "paper: unknown name venue": FREE,
    "paper: unknown name sections.*.lead": FREE,
    "paper: unknown name findings.claim": FREE,
    "paper: unknown name findings.not_counted.*": FREE,
    "paper: unknown name figures.*.caption": FREE,
    "paper: unknown name figures.*.sources.*": "the beginning of a place in the paper, such as 'Table 7'",
    "paper: unknown name figures.*.side_by_side.*": FREE,
    "paper: unknown name figures.*.table.columns.*": FREE,
    "assumptions: unknown name *": FREE,
    "sources: unknown name *.citation": FREE,
    "sources: unknown name *.licence": FREE,
    "sources: unknown name *.unchecked": FREE,
    "sources: unknown name *.folders.*": INSIDE,
    "sources: unknown name *.extract.*": INSIDE,
    "sources: unknown name *.decompress": INSIDE,
    # numbers
    "experiment: huge *sweep.*": LARGE,
    "claims: huge claims.*": LARGE,
    "paper: huge figures.*.table.reach": LARGE,
    # what may be left out
    "experiment: leave out quick*": OWN,
    "experiment: empty quick.algorithms": OWN,
    "experiment: leave out algorithms.*": OWN,
    "experiment: leave out figure": "the file that it extends has one",
    "experiment: leave out title": "the file that it extends has one",
    "experiment: leave out question": "the file that it extends has one",
    "experiment: leave out dataset": "the file that it extends has one",
    "experiment: leave out dataset.seed": "the data then follow the seed of the run",
    "experiment: leave out assumptions": LEFT_OUT,
    "experiment: leave out proxy_for": "the data then count as the paper's own",
    "experiment: leave out scales": "it is then run at quick and paper scale",
    "experiment: leave out training.*.*": LEFT_OUT,
    "claims: leave out claims.*": LEFT_OUT,
    "paper: leave out *": LEFT_OUT,
    "assumptions: leave out assumptions.*.evidence": LEFT_OUT,
    "assumptions: leave out assumptions.*.erratum": LEFT_OUT,
    "diagnoses: leave out diagnoses.*.shown_by": LEFT_OUT,
    "sources: leave out *": LEFT_OUT,
}
TOLD_OTHERWISE = {
    "leave out extends": "what it took from the other file is missing, and that is told",
    "leave out claims.*.methods.*": "a diagnosis names the claim of that method, and that it is not there is told",
}
