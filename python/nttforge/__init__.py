"""nttforge: number theoretic transforms and homomorphic encryption."""
