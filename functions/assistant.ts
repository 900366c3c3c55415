import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { answer } from '../lib/assistant/answer.ts'
import { evidenceFor } from '../lib/assistant/evidence.ts'
import { passageOf } from '../lib/assistant/passage-view.ts'
import { config } from '../lib/config.ts'
import { lines, members, objectOf, REQUIRED } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listRoute, type Routes } from '../lib/http/route.ts'
import { shownTo } from '../lib/records/shown.ts'

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

/** A whole conversation. `context` is taken, as clients send it, and not looked at. */
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

/** The assistant: it answers from what records say, and names them. Nothing that is said here is stored. */
export const routes = {
  'POST /assistant/chat/': listRoute({
    permission: 'assistant.ask',
    throttle: { scope: 'assistant', rate: config.RATE_ASSISTANT, per: 'address' },
    body: Conversation,
    says: [],
    handle: async ({ actor, scope, request, body: { messages, maxContextEntities } }) =>
      answer(
        messages,
        async (words) => {
          const heads = await evidenceFor(words, actor, scope, maxContextEntities)
          return (await shownTo(actor, heads)).map((it) => passageOf(it, actor))
        },
        request.say,
      ),
  }),
} satisfies Routes

export const handler = endpoint(routes)
