/** Loads the reader of tables. It is large, so a start leaves it out; whoever reads a table or guesses again loads it. */
export const loadReader = () => import('./read.ts')
