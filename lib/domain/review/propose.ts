import { phrase } from '../../base/language/languages.ts'
import type { Comparison } from '../../engines/matching/index.ts'
import { confidences } from '../kinds/schema/enums.ts'
import { isEyewitness, type PropertySort, rungOf, type Sighting, yearSeen } from '../records/rules/evidence.ts'
import type { Handling } from '../records/rules/verdicts.ts'

export type Proposal = { proposed_handling: Exclude<Handling, 'not_applicable'>; why: string }
/**
 * The evidence of a claim, as advice weighs it. `standing_of_source`: what experts say of its source. `record_of_source`: how many claims of
 * that source were decided on, and how many of them were kept.
 */
export type Evidence = Sighting & {
  source_type: string
  confidence: string
  standing_of_source?: 'trusted' | 'questioned' | 'withdrawn' | undefined
  record_of_source?: { kept: number; decided: number } | undefined
}

const surestFirst: readonly string[] = confidences
/** Sources whose rungs (`rungOf`) differ by at most this are close. Then other facts decide, such as confidence. */
const CLOSE_RUNGS = 1
/** How many rungs worse a questioned source is. */
const QUESTIONED = 2
/**
 * This many decisions are added to those on the claims of a source, half of them as kept. So the share of a source with few decisions stays
 * near a half.
 */
const PRIOR_DECISIONS = 10
/** If the shares of kept claims of two close sources differ by at least this, the source with the larger share wins. */
const CLEARLY_MORE = 0.2
/** Years after which the state of a thing may have changed. */
const LONG_SINCE = 5
/** On the ladder of `belief`, the last rung of sources that know belief and practice well: oral history, surveys, scholarship. */
const KNOWS_BELIEF = 2

/** What the advice looks at beside the two claims. */
export type Circumstances = {
  sort?: PropertySort
  /** The rival only corrects the standing claim (`isCorrection`): the same author, the same or a better source, and nobody else supports the value. */
  isCorrection?: boolean
}

/** Proposes how to settle a rival claim against the standing one, and says why. Undefined if their values are equal. */
export function proposeHandling(
  verdict: Comparison,
  standing: Evidence,
  rival: Evidence,
  { sort = 'fact', isCorrection = false }: Circumstances = {},
): Proposal | undefined {
  if (verdict === 'same') return undefined
  if (isCorrection) return proposals.correction
  if (verdict !== 'contradicts') return proposals[verdict]
  const weighed = weighTrust(standing, rival) ?? weighSightings(sort, standing, rival)
  return weighed === undefined ? weighSources(sort, standing, rival) : proposals[weighed]
}

/** A withdrawn source supports nothing. If only one of the two claims has a withdrawn source, the other claim wins. */
function weighTrust(standing: Evidence, rival: Evidence): keyof typeof proposals | undefined {
  const [old, next] = [standing, rival].map(({ standing_of_source }) => standing_of_source === 'withdrawn')
  if (old === next) return undefined
  return old ? 'standing_withdrawn' : 'rival_withdrawn'
}

/**
 * State and position of a thing change, so a later eyewitness wins, unless their sort of source is clearly worse. If a clearly worse
 * source reports another state after five years or more, the advice is to look. Undefined if the sightings decide nothing.
 */
function weighSightings(sort: PropertySort, standing: Evidence, rival: Evidence): keyof typeof proposals | undefined {
  if (sort !== 'state' && sort !== 'position') return undefined
  const [old, next] = [yearSeen(standing), yearSeen(rival)]
  if (old === undefined || next === undefined || old === next) return undefined
  const [later, earlier] = next > old ? [rival, standing] : [standing, rival]
  const isAsGood = rungIn(sort, later) - rungIn(sort, earlier) <= CLOSE_RUNGS
  if (isEyewitness(later.source_type) && isAsGood) return later === rival ? 'seen_later' : 'seen_earlier'
  const isLongSince = Math.abs(next - old) >= LONG_SINCE
  return sort === 'state' && isLongSince && !isAsGood ? 'told_later' : undefined
}

/** Weighs the sources. The reason says so if the advice is different because a source is in question. */
function weighSources(sort: PropertySort, standing: Evidence, rival: Evidence): Proposal {
  const advice = weighRungs(sort, standing, rival)
  const otherwise = weighRungs(sort, asTrusted(standing), asTrusted(rival))
  const { proposed_handling } = advice
  if (proposed_handling === otherwise.proposed_handling) return advice
  return isQuestioned(standing)
    ? { proposed_handling, why: 'The values exclude each other, and the source of the existing one is in question.' }
    : { proposed_handling, why: 'The values exclude each other, and the source of the new one is in question.' }
}

const isQuestioned = ({ standing_of_source }: Evidence): boolean => standing_of_source === 'questioned'
const asTrusted = (it: Evidence): Evidence => ({ ...it, standing_of_source: 'trusted' })

/**
 * Weighs the sources by how well they know this sort of property. Between close sources, the source with the clearly larger share of kept
 * claims wins. If that does not decide, a higher confidence speaks for the standing claim. The rival wins only with at least equal
 * confidence.
 */
function weighRungs(sort: PropertySort, standing: Evidence, rival: Evidence): Proposal {
  const [old, next] = [rungIn(sort, standing), rungIn(sort, rival)]
  if (sort === 'belief' && Math.max(old, next) <= KNOWS_BELIEF) return proposals.both_believed
  const confidence = confidenceOf(standing) - confidenceOf(rival)
  if (old - next > CLOSE_RUNGS && confidence >= 0) return betterSource('rival', sort)
  if (next - old > CLOSE_RUNGS) return betterSource('standing', sort)
  if (Math.abs(old - next) > CLOSE_RUNGS) return proposals.neither
  const known = shareKept(rival) - shareKept(standing)
  if (known >= CLEARLY_MORE && confidence >= 0) return proposals.rival_kept
  if (known <= -CLEARLY_MORE) return proposals.standing_kept
  if (confidence < 0) return proposals.more_confident
  return sort === 'name' ? proposals.both_names : proposals.neither
}

/** The share of the claims of a source that reviewers kept, drawn towards a half. */
function shareKept({ record_of_source: { kept, decided } = { kept: 0, decided: 0 } }: Evidence): number {
  return (kept + PRIOR_DECISIONS / 2) / (decided + PRIOR_DECISIONS)
}

/** How well the source of a claim knows this sort of property; worse if the source is questioned. */
const rungIn = (sort: PropertySort, { source_type, standing_of_source }: Evidence): number =>
  rungOf(source_type, sort) + (standing_of_source === 'questioned' ? QUESTIONED : 0)

const confidenceOf = ({ confidence }: Evidence) => {
  const rank = surestFirst.indexOf(confidence)
  return rank < 0 ? confidences.length : rank
}

/** The sorts of properties, as the reasons name them in "knows better ...". */
const subjects: Readonly<Record<Exclude<PropertySort, 'fact'>, string>> = {
  position: phrase('where a thing stands'),
  name: phrase('what a thing is called'),
  making: phrase('when and by whom a thing was made'),
  state: phrase('the present state'),
  belief: phrase('belief and practice'),
}

function betterSource(side: 'rival' | 'standing', sort: PropertySort): Proposal {
  if (sort === 'fact') return proposals[side]
  const about = subjects[sort]
  return side === 'rival'
    ? {
        proposed_handling: 'supersedes',
        why: `The values exclude each other, and the source of the new one knows better ${about}.`,
      }
    : {
        proposed_handling: 'existing_stands',
        why: `The values exclude each other, and the source of the existing one knows better ${about}.`,
      }
}

const proposals = {
  refines: { proposed_handling: 'refines', why: 'The new value says the same more exactly.' },
  compatible: { proposed_handling: 'coexist', why: 'Both values can be true.' },
  correction: {
    proposed_handling: 'supersedes',
    why: 'The author corrects their own value, by the same or a better source.',
  },
  standing_withdrawn: {
    proposed_handling: 'supersedes',
    why: 'The values exclude each other, and the source of the existing one is withdrawn.',
  },
  rival_withdrawn: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other, and the source of the new one is withdrawn.',
  },
  seen_later: { proposed_handling: 'supersedes', why: 'The new source saw the thing later.' },
  seen_earlier: { proposed_handling: 'existing_stands', why: 'The existing source saw the thing later.' },
  told_later: {
    proposed_handling: 'disputed',
    why: 'The better source saw the thing long before; what is told since was not seen. Somebody should look.',
  },
  both_believed: {
    proposed_handling: 'coexist',
    why: 'Belief and practice differ between those who keep them, and both sources know them.',
  },
  both_names: { proposed_handling: 'coexist', why: 'A thing may have both names, and the sources are close.' },
  rival: {
    proposed_handling: 'supersedes',
    why: 'The values exclude each other, and the new one has the better source.',
  },
  standing: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other, and the existing one has the better source.',
  },
  rival_kept: {
    proposed_handling: 'supersedes',
    why: 'The values exclude each other; their sources are close, and reviewers have kept more of what the new source says.',
  },
  standing_kept: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other; their sources are close, and reviewers have kept more of what the existing source says.',
  },
  more_confident: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other; their sources are close, and the existing one is given with more confidence.',
  },
  neither: {
    proposed_handling: 'disputed',
    why: 'The values exclude each other, and neither is clearly better founded.',
  },
} as const satisfies Record<string, Proposal>
