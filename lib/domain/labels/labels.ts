import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { labelCodes, labelSorts, OWN_LABEL } from './codes.ts'

/** One label on a thing, as it is stored with the thing. */
export const Label = v.object({
  code: v.picklist(labelCodes),
  /** The part of the thing that the label is on. Null for the whole thing, else the name of a property, or `picture:` and the id of a file. */
  on: v.nullable(v.string()),
  /** The community whose label this is. For a `notice`, which others set, the community that the notice is about. */
  community: v.string(),
  /** The community's own words, in English and Nepali, and an address that says more. Empty if the community uses the common words. */
  text: v.string(),
  text_ne: v.string(),
  url: v.string(),
  /** The common words of the label when it was set. So whoever shows it needs no vocabulary, which is large. */
  common: v.object({
    sort: v.picklist(labelSorts),
    name: v.string(),
    name_ne: v.string(),
    text: v.string(),
    text_ne: v.string(),
    url: v.string(),
  }),
  set_by: v.string(),
  set_at: v.string(),
})
export type Label = v.InferOutput<typeof Label>

/** The most labels on one thing. */
export const MOST_LABELS = 20

/** The prefix of `on` for a picture. */
const PICTURE = 'picture:'
/** How a label names the picture that it is on. */
export const onPicture = (file: string): string => `${PICTURE}${file}`
/** The file of the picture that a label is on. Undefined if it is on something else. */
export const pictureOf = ({ on }: Pick<Label, 'on'>): string | undefined =>
  on?.startsWith(PICTURE) ? on.slice(PICTURE.length) : undefined

const choiceEntries = () => ({
  code: s.oneOf(labelCodes),
  sort: s.oneOf(labelSorts),
  name: s.text,
  name_ne: s.text,
  text: s.text,
  text_ne: s.text,
  url: s.text,
})
/** A label as answers show it, in both languages. */
export const LabelView = s.shape('Label', () =>
  v.object({ ...choiceEntries(), on: s.maybe(s.text), community: s.text }),
)
export type ShownLabel = s.Output<typeof LabelView>

/** Shows labels. The community's own words come before the common ones. */
export const labelsView = (labels: readonly Label[]): ShownLabel[] =>
  labels.map(({ code, on, community, common, ...own }) => {
    const isOwn = code === OWN_LABEL && community !== ''
    return {
      code,
      sort: common.sort,
      on,
      community,
      name: isOwn ? community : common.name,
      name_ne: isOwn ? community : common.name_ne,
      text: own.text || common.text,
      text_ne: own.text_ne || own.text || common.text_ne,
      url: own.url || common.url,
    }
  })

/** The member of a thing that holds its labels. Absent if there are none. */
export const withLabels = (labels: readonly Label[]): { labels?: ShownLabel[] } =>
  labels.length === 0 ? {} : { labels: labelsView(labels) }

/** The labels that hold for one value of a thing: those on that property, and those on all of the thing. */
export const labelsFor = (labels: readonly Label[], property: string): Label[] =>
  labels.filter(({ on }) => on === null || on === property)

type LineOf = Omit<ShownLabel, 'code' | 'sort'>
/** Says a label in one line, in English and in Nepali: its name, what it is on, its community, its text, its address. */
export function labelLines({ name, name_ne, on, community, text, text_ne, url }: LineOf): { en: string; ne: string } {
  const by = community !== '' && community !== name ? ` (${community})` : ''
  const part = on === null ? '' : ` [${on}]`
  const end = url === '' ? '' : ` ${url}`
  return { en: `${name}${part}${by}: ${text}${end}`, ne: `${name_ne}${part}${by}: ${text_ne}${end}` }
}

/** Labels as lines of text, each in English and then in Nepali: what tables and exported files hold. */
export const labelTexts = (labels: readonly LineOf[]): string[] =>
  labels.flatMap((label) => {
    const { en, ne } = labelLines(label)
    return [en, ne]
  })

/** An entry of the vocabulary, as forms offer it. */
export const LabelChoiceView = s.shape('LabelChoice', () => v.object(choiceEntries()))
/** All labels, in the order of the vocabulary. The first call imports the vocabulary. */
export async function loadLabelChoices() {
  const { vocabulary } = await import('./vocabulary.ts')
  return labelCodes.map((code) => ({ code, ...vocabulary[code] }))
}
