import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDigestOf, isTimely, parseDigest, parseHttpSignature, type SignableRequest, signedText } from './signature.ts'

/** The request of draft-cavage-http-signatures-12 §2.3. */
const request: SignableRequest = {
  method: 'GET',
  target: '/foo',
  headers: {
    host: 'example.org',
    date: 'Tue, 07 Jun 2014 20:51:35 GMT',
    'cache-control': ['max-age=60', ' must-revalidate '],
    'x-emptyheader': '',
    'x-example': 'Example header with some whitespace. ',
  },
}
const HEADER =
  'keyId="SHA256:abc",algorithm="hs2019",created=1402170695, expires=1402170699,headers="(request-target) (created) host date cache-control x-emptyheader x-example",signature="AAAA"'

describe('an HTTP signature', () => {
  it('is read', () => {
    expect(parseHttpSignature(HEADER)).toMatchObject({
      keyId: 'SHA256:abc',
      created: 1_402_170_695,
      expires: 1_402_170_699,
      signature: Buffer.from('AAAA', 'base64'),
    })
    expect(parseHttpSignature('keyId="k",signature="AA=="')?.covered).toEqual(['(created)'])
    fc.assert(fc.property(fc.string(), (text) => parseHttpSignature(text) === undefined))
  })

  it('is over the lines of the draft', () => {
    expect(signedText(parseHttpSignature(HEADER)!, request)).toBe(
      [
        '(request-target): get /foo',
        '(created): 1402170695',
        'host: example.org',
        'date: Tue, 07 Jun 2014 20:51:35 GMT',
        'cache-control: max-age=60, must-revalidate',
        'x-emptyheader: ',
        'x-example: Example header with some whitespace.',
      ].join('\n'),
    )
    expect(signedText(parseHttpSignature('keyId="k",headers="host origin",signature="AA=="')!, request)).toBeUndefined()
  })

  it('is timely from its making on, for a while', () => {
    const at = (now: number) => isTimely(parseHttpSignature(HEADER)!, request, { now, maxAge: 300, skew: 30 })
    const made = 1_402_170_695
    expect([at(made - 31), at(made - 30), at(made), at(made + 3), at(made + 4)]).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })
})

it('digests are those of the body, all that are named', () => {
  const right = 'SHA-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='
  const matches = (header: string) => isDigestOf(parseDigest(header), Buffer.from('abc'))
  expect([
    matches(right),
    matches(right.toLowerCase()),
    matches(`sha-256${right.slice(7)}`),
    matches(`${right},md5=x`),
    matches(`${right},SHA-512=AAAA`),
    matches(''),
    matches('md5=x'),
  ]).toEqual([true, false, true, true, false, false, false])
})
