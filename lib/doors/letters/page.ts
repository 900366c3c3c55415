import type { Language } from '../../base/language/languages.ts'
import { escapeHtml } from '../../base/text.ts'
import { type Reply, replyContent } from '../../platform/http/reply.ts'

/** The content security policy of the page. The page needs no script and no other host. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * The page behind a link of a letter: a sentence, and a button that posts to the same address. `button` is absent if nothing is to be
 * done. With `field` the form asks for a new password.
 */
export function linkPage(
  language: Language,
  sentence: string,
  button?: string,
  field?: 'password',
): Reply<200, string> {
  const input = field ? '<input name="password" type="password" autocomplete="new-password" required autofocus> ' : ''
  const form = button === undefined ? '' : `<form method="post">${input}<button>${escapeHtml(button)}</button></form>`
  const page = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escapeHtml(sentence)}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}button,input{font:inherit;padding:.5rem 1rem}</style>
<p>${escapeHtml(sentence)}</p>
${form}
</html>
`
  return replyContent(page, HTML, { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
}

const HTML = 'text/html; charset=utf-8'

/** An email address as everyone with the link may see it. Example: `d...@example.org`. */
export const maskAddress = (email: string): string => email.replace(/^(.)[^@]*/, '$1...')
