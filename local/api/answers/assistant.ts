import * as v from 'valibot'
import type { routes } from '../../../functions/assistant.ts'
import { type Answers, ok } from '../answer.ts'
import { text } from '../shapes/common.ts'
import { AssistantReply } from '../shapes/search.ts'

const Conversation = v.object({
  messages: v.pipe(
    v.array(v.object({ role: v.picklist(['user', 'assistant', 'system']), content: text })),
    v.minLength(1),
    v.maxLength(200),
  ),
  context: v.nullish(v.record(v.string(), text)),
  maxContextEntities: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50))),
})

export const assistant: Answers<typeof routes> = {
  'POST /assistant/chat/': {
    says: 'Ask the assistant',
    more: 'Send the whole conversation. The answer rests on the records under `sources`; `nav` is the page that it would open. Nothing is stored.',
    gives: ok(AssistantReply),
    refuses: [502],
    takes: Conversation,
  },
}
