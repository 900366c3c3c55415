/** Imports the reader of tables. It is large, so a process imports it only to read a table or to guess again. */
export const loadReader = () => import('./read.ts')
