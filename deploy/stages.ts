import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { parse, stringify } from 'yaml'
import { root } from './root.ts'

const flag = (fallback: boolean) => v.optional(v.boolean('must be true or false'), fallback)
const text = (fallback = '') =>
  v.optional(v.pipe(v.union([v.string(), v.number()], 'must be a text'), v.transform(String)), fallback)
const number = (fallback: number) => v.optional(v.pipe(v.number('must be a number'), v.minValue(0)), fallback)
/** A list of texts, or texts with commas between them. */
const list = (fallback = '') =>
  v.optional(
    v.pipe(
      v.union([v.string(), v.array(v.string())], 'must be a list'),
      v.transform((it) => [it].flat().join(',')),
    ),
    fallback,
  )
/** A secret stands in no file: only the name of its parameter. */
const secret = v.pipe(text(), v.regex(/^$|^ssm:\/[\w./-]+$/, 'must be ssm:/NAME: no secret stands in a file'))

/** Where copies go. Each is empty if there are none. */
const Copies = v.optional(
  v.strictObject({
    /** The ARN of a vault of AWS Backup, in another account or region: a copy of the table and the bucket every night. */
    vault: text(),
    vaultDays: number(35),
    /** The ARN of a bucket to which each file is copied within minutes, and the account that owns it. */
    bucket: text(),
    account: text(),
  }),
  {},
)

/** What a stage decides, by the members of its file in `deploy/stages`, with defaults. */
const Settings = v.pipe(
  v.strictObject(
    {
      /** Whether table and bucket outlive their stack, and the table is protected from deletion. */
      keepsData: flag(false),
      /** Counts tables that were lost: 2 makes an empty table beside the first one. */
      tableNumber: number(1),
      /** The most units a second that the table may read and write; 0: no cap. */
      tableReads: number(0),
      tableWrites: number(0),
      /** Days for which files that were overwritten or deleted are kept. */
      versionDays: number(30),
      copies: Copies,
      debug: flag(false),
      sslRedirect: flag(false),
      /** Requests a second that the gateway lets through, and how many at once above that. */
      throttleRate: number(50),
      throttleBurst: number(100),
      logDays: number(30),
      /** The share of calls that also write debug lines, from 0 to 1. */
      logSampleRate: text('0'),
      /** A name of one's own, and its certificate. Neither: only the gateway's own address. */
      domain: text(),
      certificate: text(),
      /** Whether CloudFront with a firewall stands before the gateway. Needs a domain, and the region us-east-1. */
      edge: flag(false),
      /** Whether parts of scanned documents of up to 10 MB are taken, by a REST API of their own. Needs a domain. */
      largeParts: flag(false),
      /** Hosts that the service answers to, beside its own. */
      extraHosts: list(),
      /** Who gets alarms by mail: those that wake people, and those that wait for working hours (empty: the same). */
      alarmEmail: text(),
      noticeEmail: text(),
      /** How many functions the account may run at once. A new account may run 10. */
      functionsAtOnce: number(1000),
      /** Dollars a month; mails warn before they are spent. 0: no budget. Needs an address for mails. */
      budget: number(0),
      /** Whether X-Ray traces calls: one a second and one in twenty of the others, of each function. */
      traces: flag(false),
      corsOrigins: list(),
      idpClientId: text(),
      idpIssuer: text(),
      idpUserinfoUrl: text(),
      idpTokeninfoUrl: text(),
      idpJwksUrl: text(),
      secondaryIssuer: text(),
      secondaryAudience: text(),
      secondaryJwksUrl: text(),
      exportLicence: text(),
      resourceBase: text(),
      dashboardUrl: text(),
      largestTable: text('4000000'),
      reviewWebhookUrl: text(),
      hookPorts: list('443,8443'),
      metricsToken: secret,
      assistantBaseUrl: text(),
      assistantApiKey: secret,
      assistantModel: text('gpt-4o-mini'),
      searchWeights: text('0.80,0.15,0.05'),
      /** A server of OpenSearch: its address, or `ssm:/NAME` if that holds a password. Empty: the embedded engine. */
      searchUrl: text(),
      lettersSender: text(),
      lettersIdentity: text(),
      lettersPerMinute: text('120'),
    },
    'is no setting of a stage',
  ),
  v.forward(
    v.partialCheck([['edge'], ['domain']], (it) => !it.edge || it.domain !== '', 'needs domain'),
    ['edge'],
  ),
  v.forward(
    v.partialCheck([['largeParts'], ['domain']], (it) => !it.largeParts || it.domain !== '', 'needs domain'),
    ['largeParts'],
  ),
  v.forward(
    v.partialCheck(
      [['budget'], ['alarmEmail'], ['noticeEmail']],
      (it) => it.budget === 0 || it.alarmEmail !== '' || it.noticeEmail !== '',
      'needs alarmEmail or noticeEmail',
    ),
    ['budget'],
  ),
  v.forward(
    v.partialCheck(
      [['domain'], ['certificate']],
      (it) => it.domain === '' || it.certificate !== '',
      'is missing: domain is set',
    ),
    ['certificate'],
  ),
)

/** The settings of a stage, and what follows from them. */
export type Stage = Omit<v.InferOutput<typeof Settings>, 'debug' | 'sslRedirect'> & {
  /** The parameter with the header by which the edge proves itself. Empty without an edge. */
  edgeSecret: string
  /** What the name of the table ends with. Empty for the first one. */
  tableSuffix: string
  tracing: 'Active' | 'PassThrough'
  debug: 'true' | 'false'
  sslRedirect: 'true' | 'false'
  /** Secrets are in the parameters `/heritage-SECRETS/...`. All stages of pull requests share them. */
  secrets: string
  removal: 'RetainExceptOnCreate' | 'Delete'
  replacement: 'Retain' | 'Delete'
  protected: 'true' | 'false'
}

/** The folder of the files that belong to the project. */
const committed = join(root, 'deploy/stages')

/** Whether a stage is that of a pull request: `pr12`. Such a stage is made, used and removed. */
export const isOfPullRequest = (stage: string): boolean => /^pr\d{1,6}$/.test(stage)

/** Whether a name can be that of a deployed stage. */
export const isStage = (stage: string): boolean => ['dev', 'staging', 'prod'].includes(stage) || isOfPullRequest(stage)

/**
 * Reads the settings of a stage from its file: `prod.yml` for prod, `pr.yml` for all pull requests. `STAGE_FILES` may name another folder
 * than `deploy/stages`. The stage `local` has no file, and gets the defaults. Throws one sentence that names every fault.
 */
export function loadStage(stage: string, folder = process.env.STAGE_FILES || committed): Stage {
  const name = isOfPullRequest(stage) ? 'pr' : stage
  const file = join(folder, `${name}.yml`)
  const result = v.safeParse(Settings, stage === 'local' ? {} : (readSettings(file) ?? {}))
  if (!result.success) {
    const faults = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'it'} ${issue.message}`)
    throw new Error(`${file}: ${faults.join('; ')}.`)
  }
  const { keepsData, edge, debug, sslRedirect, tableNumber, traces } = result.output
  return {
    ...result.output,
    tableSuffix: tableNumber === 1 ? '' : `-${tableNumber}`,
    tracing: traces ? 'Active' : 'PassThrough',
    // Variables of functions are texts.
    debug: debug ? 'true' : 'false',
    sslRedirect: sslRedirect ? 'true' : 'false',
    secrets: name,
    edgeSecret: edge ? `ssm:/heritage-${name}/edge-secret` : '',
    removal: keepsData ? 'RetainExceptOnCreate' : 'Delete',
    replacement: keepsData ? 'Retain' : 'Delete',
    // `npm run deploy` sets PROTECTED while it makes the table.
    protected: keepsData && process.env.PROTECTED !== 'false' ? 'true' : 'false',
  }
}

/**
 * Writes the file of a stage into another folder: what the project says of the stage, and these settings over it. Rehearsals and tests
 * set `STAGE_FILES` to that folder.
 */
export function writeStage(stage: string, folder: string, settings: object): void {
  const name = `${isOfPullRequest(stage) ? 'pr' : stage}.yml`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), stringify({ ...Object(readSettings(join(committed, name))), ...settings }))
}

function readSettings(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
