"""Processes that start warm: forked from one that has imported what they need.

Importing TensorFlow Federated takes eight seconds of a processor, importing papermill one and a half, and a workflow
has hundreds of jobs. So the first job that needs a Python starts a *server* (`server.py`): a process that has imported
the modules and then forks, for everyone who asks (`client.py`), a child that runs a Python command line as if it had
just been started: with the asker's arguments, environment, folder and file descriptors, in a session of its own. A
fork takes 15 milliseconds. Kernels of notebooks start in the same way (`provisioner.py`).

The connection is the lease: a child is ended when whoever asked for it is gone, and every server ends with the process
that owns the folder of its socket (Snakemake), whichever way that one ends. Where nobody owns one (a node of a cluster,
JupyterLab) or a server cannot start, everything starts cold, to the same result.
"""

# What papermill and its dependencies import if it is there: two seconds of every job, for file systems and formats of
# addresses and durations that no notebook here has.
SPARED = ("pyarrow", "rfc3987_syntax", "isoduration")
