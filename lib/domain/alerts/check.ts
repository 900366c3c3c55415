import { setTimeout as sleep } from 'node:timers/promises'
import { clock, now } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { isDone } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, parse, put, walk, withNextVersion } from '../../engines/table/index.ts'
import { parseSameAs } from '../names/same-as.ts'
import { type AskingTerms, askAddress, askWikidata, IN_LOT, publicTerms, type Verdict } from './ask.ts'
import {
  alertIdOf,
  type CuratorAlert,
  curatorAlert,
  RECONCILED_DUE,
  type ReconciledLink,
  reconciledLink,
} from './items.ts'
import type { AlertIssue } from './words.ts'

const WEEK_MS = 7 * 86_400_000
/** The most links that one run asks. */
const MOST_LINKS = 500
/** Pause between two questions to one host. */
const PAUSE_MS = 1000

/** Asks links for at most 60 seconds. In the stages `local` and `dev` nothing is asked. */
export const sweepLinks = (): Promise<number> =>
  config.secure ? checkLinks(publicTerms, performance.now() + 60_000) : Promise.resolve(0)

/**
 * Asks the links that nobody has asked for a week, until `until`: Wikidata in lots of 50, other hosts one question a second each. Stores
 * what they say, with an alert where something is wrong. Returns the number of links. Safe to repeat.
 */
export async function checkLinks(terms: AskingTerms, until: number, pauseMs = PAUSE_MS): Promise<number> {
  const items = await walk({ index: 'gsi3', pk: RECONCILED_DUE, forward: true, limit: MOST_LINKS })
  const due = items.map((item) => parse(reconciledLink, item)).filter((it) => it.due <= now())
  const byHost = Map.groupBy(due, ({ authority, target_uri }) =>
    authority === 'wikidata' ? 'wikidata' : new URL(target_uri).host,
  )
  const asked = await Promise.all([...byHost].map(([host, links]) => askHost(host, links, { terms, until, pauseMs })))
  return asked.reduce((sum, each) => sum + each, 0)
}

type Patience = { terms: AskingTerms; until: number; pauseMs: number }

async function askHost(host: string, links: readonly ReconciledLink[], { terms, until, pauseMs }: Patience) {
  let asked = 0
  const size = host === 'wikidata' ? IN_LOT : 1
  for (let at = 0; at < links.length && performance.now() < until; at += size) {
    if (at > 0) await sleep(pauseMs)
    const lot = links.slice(at, at + size)
    const verdicts = host === 'wikidata' ? await askLot(lot, terms) : undefined
    for (const link of lot) {
      await noteVerdict(link, verdicts?.get(link.id) ?? (await askAddress(link.target_uri, terms)))
      asked += 1
    }
  }
  return asked
}

/** What Wikidata says of each link, by the id of the link. */
async function askLot(lot: readonly ReconciledLink[], terms: AskingTerms): Promise<Map<string, Verdict>> {
  const idOf = ({ value }: ReconciledLink) => parseSameAs(value)?.id ?? ''
  const said = await askWikidata([...new Set(lot.map(idOf))], terms)
  return new Map(lot.map((link) => [link.id, said.get(idOf(link)) ?? { is: 'unknown' }]))
}

type Finding = Pick<CuratorAlert, 'issue_type' | 'detail' | 'suggested_replacement_uri'>

/** What is wrong with a link, if anything. */
function findingOf(link: ReconciledLink, verdict: Verdict): Finding | undefined {
  if (verdict.is === 'gone')
    return { issue_type: 'stale_link', detail: 'The address is gone.', suggested_replacement_uri: null }
  if (verdict.is === 'moved') {
    const issue_type: AlertIssue = link.authority === 'wikidata' ? 'supersession' : 'stale_link'
    return { issue_type, detail: 'The address has moved.', suggested_replacement_uri: verdict.to }
  }
  if (verdict.is !== 'there' || !verdict.label || !link.target_label || verdict.label === link.target_label)
    return undefined
  const detail = `"${link.target_label}" is called "${verdict.label}" there now.`
  return { issue_type: 'label_drift', detail, suggested_replacement_uri: null }
}

/** Stores what a host said of a link. An alert that is open or ignored stays as it is; one that was resolved opens again. */
async function noteVerdict(link: ReconciledLink, verdict: Verdict): Promise<void> {
  const at = now()
  const found = findingOf(link, verdict)
  const isTold = verdict.is !== 'unknown'
  const next = withNextVersion<ReconciledLink>(link, {
    due: new Date(clock.now().getTime() + WEEK_MS).toISOString(),
    updated_at: at,
    ...(isTold && {
      is_stale: verdict.is !== 'there',
      last_verified: verdict.is === 'there' ? at : link.last_verified,
    }),
    ...(verdict.is === 'there' && verdict.label && { target_label: verdict.label }),
  })
  const alert = found && (await alertWrites(link, found, at))
  // A conflict means that somebody else was faster, or that the link is gone. Then nothing is stored.
  await isDone(commitWrites([put(reconciledLink, next, link), ...(alert ?? [])]))
}

async function alertWrites({ id: link_id, entity_id }: ReconciledLink, found: Finding, at: string) {
  const id = alertIdOf(link_id, found.issue_type)
  const old = await get(curatorAlert, { id })
  if (old && old.status !== 'resolved') return []
  const open = { ...found, status: 'open' as const, detected_at: at, resolved_at: null, resolved_by: null }
  const next: CuratorAlert = old
    ? withNextVersion<CuratorAlert>(old, open)
    : { id, link_id, entity_id, ...open, created_at: at, version: 1 }
  return [put(curatorAlert, next, old)]
}
