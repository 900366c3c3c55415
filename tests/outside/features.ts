import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runAt } from './asked.ts'
import { judge, outputOf, type Suite, say, versionIn } from './suite.ts'

/** What others wrote for OGC API - Features: the executable suite of OGC, and a client. */

/** Where the classes of the suite's tests lie. Its first part is what we claim. The other says itself that we do not claim it. */
const TESTS = 'org.opengis.cite.ogcapifeatures10'
const CORE = ['general', 'landingpage', 'apidefinition', 'conformance', 'collections'].map((it) => `core.${it}`)

/** What TestNG is asked to run. `-1`: as many collections as the suite itself takes at most. */
const planFor = (address: string) => `<suite name="features" verbose="0" configfailurepolicy="continue">
  <parameter name="iut" value="${address}/ogc/"/>
  <parameter name="noofcollections" value="-1"/>
  <listeners>
    <listener class-name="${TESTS}.listener.SuiteFixtureListener"/>
    <listener class-name="${TESTS}.listener.TestFailureListener"/>
  </listeners>
  <test name="Core">
    <packages>${CORE.map((it) => `<package name="${TESTS}.conformance.${it}"/>`).join('')}</packages>
    <classes><class name="${TESTS}.conformance.SuitePreconditions"/></classes>
  </test>
</suite>`

/** The tests in what TestNG reports that did not pass, each with its first line. A test that was skipped has not passed either. */
const failuresIn = (report: string): string[] =>
  [...report.matchAll(/<test-method\b([^>]*)>([\s\S]*?)<\/test-method>/g)].flatMap(([, about = '', body = '']) => {
    if (about.includes('status="PASS"')) return []
    const message = /<message>\s*<!\[CDATA\[([^\n\]]*)/.exec(body)?.[1] ?? ''
    return [`${/\bname="([^"]*)"/.exec(about)?.[1]}: ${message}`]
  })

export const ogcSuite: Suite = {
  name: "OGC's executable suite: Features, Part 1",
  install:
    "OGC_SUITE=FOLDER names a folder with the jars of OGC's project ets-ogcapi-features10 and of what it stands on, with Java 17; its own pages tell how it is built",
  run: async ({ folder, service }) => {
    const jars = process.env.OGC_SUITE ?? ''
    if (!existsSync(jars) || (await say('java', ['--version'])) === undefined) return undefined
    const { address } = await service()
    const plan = join(folder, 'features.xml')
    await writeFile(plan, planFor(address))
    const told = await say('java', ['-cp', join(jars, '*'), 'org.testng.TestNG', '-d', join(folder, 'features'), plan])
    const path = join(folder, 'features/testng-results.xml')
    if (!existsSync(path)) throw new Error(`The suite of OGC reported nothing:\n${told}`)
    const report = await readFile(path, 'utf8')
    const count = /<testng-results[^>]*\btotal="(\d+)"/.exec(report)?.[1] ?? '0'
    const jar = (await outputOf('ls', [jars])).stdout.split('\n').find((it) => it.startsWith('ets-ogcapi-features10'))
    return {
      version: versionIn(jar?.replace('features10', '') ?? ''),
      cases: `${count} tests`,
      ...judge(failuresIn(report), []),
    }
  },
}

export const owsLib: Suite = {
  name: 'OWSLib: a client of Features, through every collection',
  install: 'pip install OWSLib',
  run: runAt('features.py', '/ogc/', 'answers'),
}
