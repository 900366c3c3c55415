import * as v from 'valibot'
import type { routes } from '../../../functions/notifications.ts'
import { type Answers, ok, page } from '../answer.ts'
import { AddressConfirmed, LetterSettings, LettersStopped, Marked, Notification } from '../shapes/account.ts'

/** A page for browsers beside the JSON. */
const linked = (shape: v.GenericSchema) => ({ 200: { shape, types: ['text/html'] } })

export const notifications: Answers<typeof routes> = {
  'GET /data/notifications/': { says: 'List the own notifications', gives: page(Notification) },
  'GET /data/notifications/unread_count/': {
    says: 'Count what is unread',
    gives: ok(v.object({ unread_count: v.number() })),
  },
  'POST /data/notifications/mark_read/': {
    says: 'Mark notifications as read',
    more: 'Without ids, all of them.',
    gives: ok(Marked),
  },
  'POST /data/notifications/mark_all_read/': { says: 'Mark all notifications as read', gives: ok(Marked) },
  'GET /data/notifications/letters/': { says: 'Read how letters are wanted', gives: ok(LetterSettings) },
  'PUT /data/notifications/letters/': {
    says: 'Say how letters are wanted',
    more: [
      '`at_once`: a letter tells what has arrived, five minutes after the last one at the earliest. `daily`: one a day, at `hour` in `zone`.',
      'Letters go to the address of the account once it is confirmed: where a provider has not done that, a first letter asks for it.',
      'A letter tells what is not read yet and what its reader may see when it is sent, and is sent at most once.',
    ].join(' '),
    gives: ok(LetterSettings),
  },
  'GET /data/notifications/letters/stop/': {
    says: 'Look at the link that stops letters',
    more: 'Every letter has this link; it works without signing in, and changes nothing. With `Accept: text/html` a page with a button.',
    gives: linked(LettersStopped),
  },
  'POST /data/notifications/letters/stop/': {
    says: 'Stop letters',
    more: 'By the same link, as RFC 8058 has mail programs do it in one click.',
    gives: { ...ok(LettersStopped), 303: null },
  },
  'GET /data/notifications/letters/confirm/': {
    says: 'Look at the link that confirms an address',
    more: 'It is in the letter that asks for it, and good for three days.',
    gives: linked(AddressConfirmed),
  },
  'POST /data/notifications/letters/confirm/': {
    says: 'Confirm an address',
    gives: { ...ok(AddressConfirmed), 303: null },
  },
  'GET /data/notifications/{id}/': { says: 'Read a notification', gives: ok(Notification) },
}
