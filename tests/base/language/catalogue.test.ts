import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { speakerOf } from '../../../lib/base/language/catalogue.ts'
import { nepali, parts } from '../../../lib/base/language/nepali.ts'
import { tasks } from '../../../lib/domain/imports/items.ts'
import { registry } from '../../../lib/domain/kinds/schema/registry.ts'
import { notices } from '../../../lib/domain/notifications/events.ts'
import { projectStates } from '../../../lib/domain/projects/states.ts'
import { recordStatuses } from '../../../lib/domain/records/rules/status.ts'
import { submissionStatuses } from '../../../lib/domain/submissions/members.ts'
import { civilMonths, lunarMonthNames, solarMonths } from '../../../lib/engines/calendars/months.ts'
import { ranks } from '../../../lib/platform/permissions.ts'
import { registryTexts } from '../../harness/registry-texts.ts'
import { sentencesOf } from './sentences.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const spoken = sentencesOf(root, ['lib', 'functions'])
const say = speakerOf(nepali)
const months = [...civilMonths, ...solarMonths, ...lunarMonthNames]
/** What stands within sentences, by the lists of the code. */
const listed = [...recordStatuses, ...submissionStatuses, ...projectStates, ...ranks, ...tasks].map((it) =>
  it.replaceAll('_', ' '),
)
const told = Object.values(notices).map(({ says }) => says)

const ADD =
  'without a Nepali text: add it to the file of lib/base/language/nepali/ that fits, such as notices.ts or fields.ts'

describe('the catalogue of Nepali', () => {
  test('has every sentence and phrase that stands in the code', () => {
    const missing = [...spoken].filter(([text]) => !Object.hasOwn(nepali, text))
    expect(missing, ADD).toEqual([])
    expect(spoken.size).toBeGreaterThan(400)
  })

  test('has every notice, every text of the registry, every state, role and month', () => {
    const wanted = [...told, ...registryTexts(registry()), ...listed, ...months.map(({ en }) => en)]
    expect(
      wanted.filter((text) => !Object.hasOwn(nepali, text)),
      ADD,
    ).toEqual([])
    for (const { en, ne } of months) expect(nepali[en]).toBe(ne)
  })

  test('fills the same holes, and says the rest in Devanagari', () => {
    const holes = (text: string) => [...text.matchAll(/\{(\w+)\}|<(\w+)>/g)].map(([, a, b]) => a ?? b).sort()
    for (const [english, said] of Object.entries(nepali)) {
      expect([english, ...holes(said)]).toEqual([english, ...holes(english)])
      expect([english, said]).toEqual([english, expect.stringMatching(/\p{Script=Devanagari}|[<{]|।/u)])
    }
  })

  test('says nothing twice', () => {
    const all = parts.flatMap((part) => Object.keys(part))
    const twice = all.filter((text, at) => all.indexOf(text) !== at)
    expect(twice, 'keep each in one file of lib/base/language/nepali only').toEqual([])
  })

  test('ends sentences as Nepali does', () => {
    const open = Object.entries(nepali).filter(
      ([english, said]) => /[^:]\.$/.test(english) && english.length > 1 && !/।$/.test(said),
    )
    expect(open).toEqual([])
  })
})

describe('a text is said', () => {
  test.each([
    ['Not found.', 'भेटिएन।'],
    [
      'Not found. There is no kind of this name. Did you mean person?',
      'भेटिएन। यस नामको किसिम छैन। के तपाईंले person भन्न खोज्नुभएको हो?',
    ],
    ['Ensure this field has no more than 300 characters.', 'यो फाँटमा ३०० भन्दा बढी अक्षर हुनु हुँदैन।'],
    ['There is no architectural structure with one of these ids.', 'यीमध्ये एउटा पहिचान सङ्केतको वास्तु संरचना छैन।'],
    [
      'There is no day 32 in Ashadh of BS 2081, which has 31 days.',
      'वि.सं. २०८१ को असारमा ३२ गते हुँदैन, त्यस महिनामा ३१ दिन छन्।',
    ],
    ['There is no day 30 in February 1990, which has 28 days.', 'फेब्रुअरी १९९०मा ३० गते हुँदैन, त्यस महिनामा २८ दिन छन्।'],
    [
      'This member is not read; it has no effect. Did you mean name?',
      'यो फाँट पढिँदैन; यसको कुनै असर छैन। के तपाईंले name भन्न खोज्नुभएको हो?',
    ],
    [
      'It has no effect. Not a valid choice. Choose one of: a, b.',
      'यसको कुनै असर छैन। मान्य विकल्प होइन। यीमध्ये एक छान्नुहोस्: a, b।',
    ],
    ['Picture 2: Its file has not been sent yet.', 'तस्बिर २: यसको फाइल अझै पठाइएको छैन।'],
    ['Construction date: There is no month 13: a year has 12.', 'निर्माण मिति: १३ औँ महिना हुँदैन: वर्षमा १२ महिना हुन्छन्।'],
    ['A project that is in review cannot become merged.', 'समीक्षामा रहेको परियोजना गाभिएको हुन सक्दैन।'],
    ['The same name as architectural structure 7, "Note".', 'नाम वास्तु संरचना ७, "Note" सँग उस्तै छ।'],
    ['Waiting for 3 days (+12)', '३ दिनदेखि प्रतीक्षामा (+१२)'],
    ['It is up to date. 100 or more changes were put aside.', 'यो अद्यावधिक छ। १०० वा बढी परिवर्तन पन्छाइएका छन्।'],
  ])('%s', (english, said) => {
    expect(say(english)).toBe(said)
  })

  test('whatever was sent stays as it was sent, and what is no text of ours stays whole', () => {
    expect(say('There is no column "Name".')).toBe('"Name" नामको स्तम्भ छैन।')
    expect(say('The quick brown fox')).toBe('The quick brown fox')
    expect(say('')).toBe('')
  })

  test('as quickly as a long one, whatever it is made of', () => {
    const long = 'There is no column "'.repeat(20_000)
    const start = process.cpuUsage().user
    expect(say(long)).toBe(long)
    expect(process.cpuUsage().user - start).toBeLessThan(500_000)
  })

  test('even where a schema has no words of ours', () => {
    const [issue] = v.safeParse(v.number(), 'x').issues ?? []
    expect(say(issue?.message ?? '')).toBe('मिलेन (प्रकार): number चाहिन्छ, "x" आयो।')
  })
})
