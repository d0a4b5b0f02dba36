"""What is published: the page of results, with its pictures, from tables and nothing else."""
