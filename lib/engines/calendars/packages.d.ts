/** The tables of a package without types of its own. */
declare module 'bikram-sambat' {
  /** How many days a month (1 to 12) of a year has. Fails outside of the years 1970 to 2090. */
  function daysInMonth(year: number, month: number): number
  const bikramSambat: { daysInMonth: typeof daysInMonth }
  export default bikramSambat
}
