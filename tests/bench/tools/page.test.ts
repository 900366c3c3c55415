import { expect, test } from 'vitest'
import { renewed } from './page.ts'

const frame = (...parts: string[]) =>
  ['# Title\n\n<!-- measured: begin -->', ...parts, '<!-- measured: end -->\n\nThe end.\n'].join('\n\n')
const part = (name: string, text: string) =>
  [
    `<!-- measured ${name}: begin -->`,
    `## ${name}`,
    `\`npm run bench -- ${name}\``,
    '2 cores',
    text,
    `<!-- measured ${name}: end -->`,
  ].join('\n\n')
const names = ['first', 'second', 'third']
const measured = (name: string, text: string) => ({
  name,
  command: `npm run bench -- ${name}`,
  machine: '2 cores',
  text,
})

test('a measurement that was never made gets its place in the order of the list', () => {
  const page = frame(part('first', 'a'), part('third', 'c'))
  expect(renewed(page, measured('second', '\n| b |\n'), names)).toBe(
    frame(part('first', 'a'), part('second', '| b |'), part('third', 'c')),
  )
})

test('one is renewed and the others stay, letter by letter', () => {
  const page = frame(part('first', 'a $1 $&'), part('second', 'b'), part('third', 'c'))
  expect(renewed(page, measured('second', 'new $& and\n\n| rows |'), names)).toBe(
    frame(part('first', 'a $1 $&'), part('second', 'new $& and\n\n| rows |'), part('third', 'c')),
  )
  expect(renewed(page, measured('second', 'b'), names)).toBe(page)
})

test('an empty page takes its first measurement, and what is called nothing any more goes', () => {
  expect(renewed(frame(), measured('third', 'c'), names)).toBe(frame(part('third', 'c')))
  expect(renewed(frame(part('old', 'x'), part('first', 'a')), measured('third', 'c'), names)).toBe(
    frame(part('first', 'a'), part('third', 'c')),
  )
})

test('a page without the marks is refused', () => {
  expect(() => renewed('# Title\n', measured('first', 'a'), names)).toThrow(
    'The page lacks the marks <!-- measured: begin --> and <!-- measured: end -->.',
  )
})
