import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../deploy/stand-ins/free-port.ts'
import { runOwnTests } from './own-tests.ts'
import { answerAt } from './service.ts'
import { judge, type Outcome, type Suite, say, versionIn } from './suite.ts'

/** Our own tests of the table over emulators of others: what the table does in one call, in one transaction and, where it is quick enough, in two phases. */
const TABLE_TESTS = 'tests/engines/table'
/** moto takes seconds for a transaction of a hundred, so commits in two phases end by their time. */
const TOO_SLOW = ['--exclude', '**/two-phase.test.ts']

export const moto: Suite = {
  name: 'moto: our own tests of the table over another emulator',
  install: "pip install 'moto[server,dynamodb]'",
  run: async ({ folder }) => {
    if ((await say('moto_server', ['--help'])) === undefined) return undefined
    const version = (await say('pip', ['show', 'moto'])) ?? ''
    const port = await freePort()
    const emulator = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    // One file at a time: the emulator fails where two requests come at once.
    const tested = await testsOver(emulator, `http://127.0.0.1:${port}/moto-api/`, join(folder, 'moto.json'), TOO_SLOW)
    return { version: versionIn(version), ...tested, ...judge(tested.failures, DIFFERENCES) }
  },
}

/** Amazon's own emulator, for those who have agreed to its terms. Its licence is none of free software, so nothing here brings it. */
export const dynamoDbLocal: Suite = {
  name: "DynamoDB Local: our own tests of the table over Amazon's emulator",
  install: 'DYNAMODB_LOCAL=FOLDER names where DynamoDBLocal.jar lies; it has terms of its own, to which you agree',
  run: async ({ folder }) => {
    const place = process.env.DYNAMODB_LOCAL ?? ''
    if (!existsSync(join(place, 'DynamoDBLocal.jar')) || (await say('java', ['-version'])) === undefined)
      return undefined
    const port = await freePort()
    const args = [`-Djava.library.path=${join(place, 'DynamoDBLocal_lib')}`, '-jar', join(place, 'DynamoDBLocal.jar')]
    const emulator = spawn('java', [...args, '-inMemory', '-port', String(port)], { stdio: 'ignore' })
    const tested = await testsOver(emulator, `http://127.0.0.1:${port}/shell/`, join(folder, 'dynamodb-local.json'))
    return { version: 'as given', ...tested, known: new Map() }
  },
}

async function testsOver(
  emulator: ChildProcess,
  isUp: string,
  report: string,
  but: readonly string[] = [],
): Promise<Pick<Outcome, 'cases' | 'failures'>> {
  try {
    await answerAt(isUp)
    return await runOwnTests([TABLE_TESTS, ...but, '--maxWorkers=1'], report, {
      DYNAMODB_ENDPOINT: new URL(isUp).origin,
    })
  } finally {
    emulator.kill()
  }
}
/** What moto does otherwise than DynamoDB itself. */
const DIFFERENCES = [
  [/is not valid JSON|InternalFailure/, 'it fails where two requests come at once'],
  [/at once|has one holder|that run together/, 'its writes and transactions are not isolated from each other'],
  [/under the same token/, 'it does not know the tokens of transactions'],
  [/a number counts once/, 'it does not return the item of a failed condition'],
] as const
