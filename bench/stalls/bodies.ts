import { post, type Attack } from './attack.ts'

const MB = 1 << 20
const BOUNDARY = 'part'
const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('')

/** A body that costs much to read, sent to an operation that wants a short JSON object. */
const read = (name: string, body: () => string, type = 'application/json'): Attack => ({
  name,
  who: 'anonymous',
  requests: (stage) => [post(stage, '/markdown', { type, body: body() })],
})

const part = (i: number): string => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="k${i}"\r\n\r\nv\r\n`

export const BODY_ATTACKS: readonly Attack[] = [
  read('form of 40,000 keys', () => times(40_000, (i) => `k${i}=v&`), 'application/x-www-form-urlencoded'),
  read(
    'multipart of 40,000 parts',
    () => `${times(40_000, part)}--${BOUNDARY}--\r\n`,
    `multipart/form-data; boundary=${BOUNDARY}`,
  ),
  read('JSON, 8 MB of fractions', () => `{"x":[${'1.0,'.repeat(2 * MB)}1]}`),
  read('JSON, 30 MB of []', () => `[${'[],'.repeat(10 * MB)}[]]`),
  read('JSON, 1 MB deep', () => '['.repeat(MB)),
  read('JSON, 900 KB deep and closed', () => '['.repeat(450_000) + ']'.repeat(450_000)),
  read('JSON, 60,000 keys', () => `{${times(60_000, (i) => `"k${i}":1,`)}"x":1}`),
  read('JSON, one key 300,000 times', () => `{${'"a":1,'.repeat(150_000)}"a":1}`),
]
