"""Ink and files of pictures: themes, SVG, legends, panels, and what interactive charts share."""
