import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { forbidden, invalid } from '../../base/errors.ts'
import { choice, line, members, prose, webAddress } from '../../platform/http/body.ts'
import { type Actor, mayReview } from '../../platform/permissions.ts'
import { labelCodes, OWN_LABEL } from './codes.ts'
import { type Label, MOST_LABELS } from './labels.ts'

const short = (most: number) => v.pipe(v.nullish(v.string('Not a valid text.'), ''), line(most), v.trim())

/** What the descriptions of the endpoints that set labels share. */
export const ABOUT_LABELS =
  'All labels in their order; an empty list takes them away. `code` is one of `GET /cidoc/schema/labels/`, or `community` for words of its own. `on` is null for the whole, else a property, or `picture:` and the id of a picture. They hold at once, without a review; words of your own on a public thing take a reviewer.'

/** The body that sets the labels of a thing: all of them, in their order. */
export const LabelsBody = members({
  labels: v.pipe(
    v.array(
      members({
        code: choice(labelCodes),
        on: v.nullish(v.pipe(v.string('Not a valid text.'), v.maxLength(100)), null),
        community: short(200),
        text: prose(1000),
        text_ne: prose(1000),
        url: v.pipe(v.nullish(v.string('Not a valid text.'), ''), webAddress(500)),
      }),
      'Give a list of labels.',
    ),
    v.maxLength(MOST_LABELS, `Give no more than ${MOST_LABELS} labels.`),
  ),
})
export type LabelInput = v.InferOutput<typeof LabelsBody>['labels'][number]

/** A thing that carries labels. `isPublic`: readers see the thing now. `parts`: the properties and pictures that a label can be on. */
export type Labelled = { labels: readonly Label[]; isPublic: boolean; parts: readonly string[] }

/**
 * Makes the labels of a thing from a body. A label that was there keeps who set it, and when. Fails with `invalid` if a label is on a
 * missing part, or if a label with the code `community` lacks community or text. Labels apply at once, so only a reviewer sets own words on
 * a public thing.
 */
export async function changeLabels(thing: Labelled, inputs: readonly LabelInput[], actor: Actor): Promise<Label[]> {
  const at = now()
  const { vocabulary } = await import('./vocabulary.ts')
  const made = inputs.map((it): Label => {
    if (it.on !== null && !thing.parts.includes(it.on))
      throw invalid({ labels: ['A label is on something that is not there.'] })
    if (it.code === OWN_LABEL && (it.community === '' || it.text.trim() === ''))
      throw invalid({ labels: ['A label of a community of its own takes its name and its text.'] })
    const known = thing.labels.find((old) => isSame(old, it))
    return known ?? { ...it, common: vocabulary[it.code], set_by: actor.id, set_at: at }
  })
  const bringsWords = made.some((it) => hasOwnWords(it) && !thing.labels.some((old) => isSame(old, it)))
  if (bringsWords && thing.isPublic && !mayReview(actor))
    throw forbidden('Words of your own on a public thing take a reviewer.')
  return made
}

const isSame = (a: LabelInput, b: LabelInput): boolean =>
  (['code', 'on', 'community', 'text', 'text_ne', 'url'] as const).every((name) => a[name] === b[name])
const hasOwnWords = ({ community, text, text_ne, url }: LabelInput): boolean =>
  [community, text, text_ne, url].some((it) => it !== '')
