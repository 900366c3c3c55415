import { access, constants, mkdir, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The settings that name a port, and what listens there. */
export const portSettings = {
  PORT: 'API',
  LAMBDA_PORT: 'functions',
  DYNAMODB_PORT: 'DynamoDB',
  S3_PORT: 'S3',
  IDP_PORT: 'identity provider',
  MAIL_PORT: 'mail',
} as const

/** The setting that changes the port of a part, if there is one. */
export const settingFor = (what: string): string | undefined =>
  Object.entries(portSettings).find(([, each]) => each === what)?.[0]

/** Throws if a setting is no port, or repeats the port of another. One sentence names each of them. */
export function checkPorts(environment: NodeJS.ProcessEnv): void {
  const wrong: string[] = []
  const settings = new Map<number, string>()
  for (const name of Object.keys(portSettings)) {
    const text = environment[name]
    if (text === undefined) continue
    const port = Number(text)
    const other = settings.get(port)
    if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
      wrong.push(`${name} is "${text}", and a port is a whole number from 1 to 65535`)
    else if (other) wrong.push(`${name} is ${port}, and so is ${other}`)
    settings.set(port, name)
  }
  if (wrong.length > 0) throw new Error(`${wrong.join('; ')}.`)
}

/** The throttles that the environment sets, such as `RATE_PROJECTS=1000/h`. They replace those of serverless.yml. */
export const ratesIn = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, rate]) => (name.startsWith('RATE_') && rate ? [[name, rate]] : [])),
  )

/** Disk space for the table, the demonstration records and their pictures. */
const LEAST_MB = 50

/** Makes the data folder. If data cannot lie there, throws one sentence that names the setting. */
export async function openFolder(folder: string): Promise<void> {
  const named = `LOCAL_DATA names ${folder}`
  try {
    await makeFolder(folder)
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Error(`${named}, ${await whyNot(folder, error)} Set it to a folder that can be written.`)
  }
  const { bavail, bsize } = await statfs(folder)
  const freeMb = Math.floor((bavail * bsize) / 2 ** 20)
  if (freeMb < LEAST_MB)
    throw new Error(
      `${named}, and its disk is full: ${freeMb} MB are left, ${LEAST_MB} are needed. Make room, or set it to another folder.`,
    )
}

/** Makes a folder and those above it. Recursive `mkdir` of Node never ends below `/proc`, where nothing can be made. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder))
    await mkdir(folder)
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

async function whyNot(folder: string, error: unknown): Promise<string> {
  const found = await stat(folder).catch(() => undefined)
  const code = codeOf(error)
  if (found && !found.isDirectory()) return 'which is a file.'
  if (code === 'ENOTDIR') return 'which lies below a file.'
  if (code === 'ENOSPC') return 'and its disk is full.'
  return `which this user may not write (${code || error}).`
}
