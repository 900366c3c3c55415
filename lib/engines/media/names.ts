/**
 * Cleans the name of a file for people: the last part of its path, at most 150 characters. Invisible marks and marks that change the
 * direction of text are removed. The result is never a key of the bucket.
 */
export function displayName(name: string): string {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
  const ending = /\.[^.]{1,10}$/.exec(plain)?.[0] ?? ''
  const stem = [...plain.slice(0, plain.length - ending.length)]
  return `${stem.slice(0, LONGEST_NAME - ending.length).join('')}${ending}` || 'file'
}

const LONGEST_NAME = 150

/**
 * Makes a Content-Disposition header (RFC 6266). `filename` is plain ASCII for old browsers, `filename*` the whole name
 * in UTF-8.
 */
export function contentDisposition(disposition: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%;]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${whole}`
}
