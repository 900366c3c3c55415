import { readFile } from 'node:fs/promises'
import { type Outcome, outputOf } from './suite.ts'

/** Runs tests of our own beside what others wrote. `report`: the file in which vitest says what became of each. Skipped tests do not count. */
export async function runOwnTests(
  given: readonly string[],
  report: string,
  env: Readonly<Record<string, string>>,
): Promise<Pick<Outcome, 'cases' | 'failures'>> {
  await outputOf('vitest', ['run', ...given, '--reporter=json', `--outputFile.json=${report}`], {
    env: { ...process.env, ...env },
    maxBuffer: 200_000_000,
  }).catch(() => undefined)
  const { numPassedTests, numFailedTests, testResults }: VitestReport = JSON.parse(await readFile(report, 'utf8'))
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((it) => it.status === 'failed')
    const whole = status === 'failed' && failed.length === 0 ? [`${name}: ${message}`] : []
    return [...whole, ...failed.map((it) => `${it.fullName}: ${it.failureMessages[0]}`)]
  })
  return { cases: `${numPassedTests + numFailedTests} tests`, failures }
}

type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}
