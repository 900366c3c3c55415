import { relative } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { ROOT } from '../world/sources.ts'
import { note, refusedSince } from './said.ts'

type Named = { name: string; suite?: Named | undefined }
/** A test by the names of all that it stands in, as `-t` takes it. */
const nameOf = ({ name, suite }: Named): string => (suite ? `${nameOf(suite)} > ${name}` : name)

let began = 0
beforeEach(() => {
  refusedSince()
  began = performance.now()
})
afterEach(({ task }) => {
  const milliseconds = performance.now() - began
  note({ file: relative(ROOT, task.file.filepath), test: nameOf(task), milliseconds, refused: refusedSince() })
})
