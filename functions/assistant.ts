import '../lib/domain/composition.ts'
import * as v from 'valibot'
import * as s from '../lib/base/shapes.ts'
import { showRecords } from '../lib/domain/records/shown.ts'
import { answerQuestion } from '../lib/doors/assistant/answer.ts'
import { findEvidence } from '../lib/doors/assistant/evidence.ts'
import { passageOf } from '../lib/doors/assistant/passage-view.ts'
import { ok } from '../lib/platform/http/answer.ts'
import { lines, members, objectOf, REQUIRED } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listRoute, type Routes } from '../lib/platform/http/route.ts'

const MOST_MESSAGES = 200
const roles = ['user', 'assistant', 'system'] as const

const ROLE = `Each message has a role, one of: ${roles.join(', ')}.`
const CONTENT = 'Each message has a content, which is a text.'
const OBJECT = 'Each message is an object.'

const ChatBody = v.pipe(
  v.looseObject({ role: v.optional(v.unknown(), null), content: v.optional(v.unknown(), null) }, OBJECT),
  v.object({
    role: v.picklist(roles, ROLE),
    content: v.pipe(
      v.string(CONTENT),
      v.trim(),
      v.nonEmpty('The content of a message may not be blank.'),
      lines(16_000),
    ),
  }),
)

/** The conversation as the API document shows it. */
const ConversationShape = v.object({
  messages: v.pipe(
    v.array(v.object({ role: v.picklist(roles), content: s.text })),
    v.minLength(1),
    v.maxLength(MOST_MESSAGES),
  ),
  context: v.nullish(v.record(v.string(), s.text)),
  maxContextEntities: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50))),
})

/** A whole conversation. Clients send `context`; it is accepted and ignored. */
const Conversation = members({
  messages: v.pipe(
    v.array(v.unknown(), REQUIRED),
    v.nonEmpty('Send at least one message.'),
    v.maxLength(MOST_MESSAGES, `Send no more than ${MOST_MESSAGES} messages.`),
    v.array(ChatBody),
  ),
  context: v.nullish(objectOf(v.string(), v.string('Give texts.'), 'Give an object of texts.')),
  maxContextEntities: v.pipe(
    v.nullish(v.number('Give a whole number from 1 to 50.'), 12),
    v.integer('Give a whole number from 1 to 50.'),
    v.minValue(1, 'Give a whole number from 1 to 50.'),
    v.maxValue(50, 'Give a whole number from 1 to 50.'),
  ),
})

/** The assistant's message, the page it suggests to open, and the records that it cites. */
const AssistantReplyView = s.shape('AssistantReply', () =>
  v.object({
    message: v.object({ role: s.oneOf(['assistant']), content: s.text }),
    nav: s.maybe(s.text),
    sources: v.array(v.object({ id: s.text, type: s.text, title: s.text, excerpt: s.text, url: s.text })),
  }),
)

/** The assistant: it answers from records, and cites them. No message is stored. */
export const routes = {
  'POST /assistant/chat/': listRoute({
    permission: 'assistant.ask',
    summary: 'Ask the assistant',
    description:
      'Send the whole conversation. The answer rests on the records under `sources`; `nav` is the page that it would open. Nothing is stored.',
    answer: ok(AssistantReplyView),
    errors: [502],
    shownBody: ConversationShape,
    throttles: [{ scope: 'assistant', rate: 'RATE_ASSISTANT', per: 'address', counts: 'every call' }],
    body: Conversation,
    translatedPaths: [],
    handle: async ({ actor, scope, request, body: { messages, maxContextEntities } }) =>
      answerQuestion(
        messages,
        async (words) => {
          const heads = await findEvidence(words, actor, scope, maxContextEntities)
          return (await showRecords(actor, heads)).map((it) => passageOf(it, actor))
        },
        request.say,
      ),
  }),
} satisfies Routes

export const handler = endpoint(routes)
