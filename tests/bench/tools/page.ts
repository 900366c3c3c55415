const [BEGIN, END] = ['<!-- measured: begin -->', '<!-- measured: end -->']
const begin = (name: string) => `<!-- measured ${name}: begin -->`
const end = (name: string) => `<!-- measured ${name}: end -->`

/** One measurement: how it was asked for, on which machine, and the Markdown that it printed. */
export type Measured = { name: string; command: string; machine: string; text: string }

/**
 * The page with one measurement renewed, under its heading and between marks of its own; all others stay as they are, in
 * the order of `names`, and what has no such name any more goes. Fails when the page lacks the marks of the whole.
 */
export function renewed(page: string, { name, command, machine, text }: Measured, names: readonly string[]): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`The page lacks the marks ${BEGIN} and ${END}.`)
  const before = page.slice(from, to)
  const part = `${begin(name)}\n\n## ${name}\n\n\`${command}\`\n\n${machine}\n\n${text.trim()}\n\n${end(name)}`
  const parts = names.flatMap((each) => (each === name ? [part] : partIn(before, each)))
  return `${page.slice(0, from + BEGIN.length)}\n\n${parts.join('\n\n')}\n\n${page.slice(to)}`
}

/** The part of a name with its marks, if it is there. */
function partIn(text: string, name: string): string[] {
  const [from, to] = [text.indexOf(begin(name)), text.indexOf(end(name))]
  return from < 0 || to < from ? [] : [text.slice(from, to + end(name).length)]
}
