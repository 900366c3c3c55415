/**
 * A file's name as people see it: the last part of a path. Marks that are not seen, or that turn the direction of text,
 * are left out. It names nothing in the bucket.
 */
export function displayName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
  const ending = /\.[^.]{1,10}$/.exec(plain)?.[0] ?? ''
  const stem = [...plain.slice(0, plain.length - ending.length)]
  return `${stem.slice(0, LONGEST - ending.length).join('')}${ending}` || 'file'
}

const LONGEST = 150

/** A Content-Disposition (RFC 6266) that every browser reads: plain ASCII first, the whole name in UTF-8 beside it. */
export function contentDisposition(how: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%;]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${how}; filename="${plain}"; filename*=UTF-8''${whole}`
}
