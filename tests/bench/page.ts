import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const README = 'README.md'
const [BEGIN, END] = ['<!-- measured: begin -->', '<!-- measured: end -->']

/** Puts the last measurements of each name, whenever they were made, between the marks in the README. */
export function writePage(directory: string, names: readonly string[]): void {
  const parts = names
    .map((name) => `${directory}/${name}.md`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8').trim())
  const text = readFileSync(README, 'utf8')
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${README} lacks the marks ${BEGIN} and ${END}`)
  const page = parts.map((part) => part.replace(/^(?!\||$)(.+)$/gm, '**$1**')).join('\n\n')
  writeFileSync(README, `${text.slice(0, begin + BEGIN.length)}\n\n${page}\n\n${text.slice(end)}`)
}
