"""Figures as SVG: each as a wide and a narrow layout, in a light and a dark theme, on a transparent ground."""
