import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directory } from './paths.ts'

/** The version of the layout of items. Raised when older items cannot be read any more. */
const LAYOUT = '2'

/** Notes the layout version of the local data. Fails if an earlier version has left its data. */
export async function checkLayout(): Promise<void> {
  const file = join(directory, 'layout')
  const isFilled = await access(join(directory, 'dynamodb.sqlite')).then(
    () => true,
    () => false,
  )
  const found = await readFile(file, 'utf8').catch(() => '')
  if (isFilled && found !== LAYOUT)
    throw new Error(`${directory} holds data of an earlier version. \`npm run reset\` empties it.`)
  await writeFile(file, LAYOUT)
}
