import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runOwnTests } from './own-tests.ts'
import { type Suite, say } from './suite.ts'

/** A client of statements: it joins fragments itself. */

/** The folder of Comunica: that which `COMUNICA` names, else where global packages lie. */
async function findComunica(): Promise<string | undefined> {
  const globally = (await say('npm', ['root', '--global']))?.trim() ?? ''
  return [process.env.COMUNICA ?? '', join(globally, '@comunica/query-sparql')].find(
    (folder) => folder !== '' && existsSync(join(folder, 'package.json')),
  )
}

export const comunica: Suite = {
  name: 'Comunica: thirty questions in SPARQL over the fragments as over the dump',
  install: 'npm install --global @comunica/query-sparql, or COMUNICA=FOLDER names where it lies',
  run: async ({ folder }) => {
    const place = await findComunica()
    if (place === undefined) return undefined
    const { version }: { version: string } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))
    const tested = await runOwnTests(['tests/doors/fragments', '-t', 'Comunica'], join(folder, 'comunica.json'), {
      COMUNICA: join(place, 'lib/index.js'),
    })
    return { version, ...tested, known: new Map() }
  },
}
