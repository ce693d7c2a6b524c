import { describe, expect, it } from 'vitest'
import { MAX_FIELDS, parseMultipart, parseUrlEncoded } from './form.ts'

const TYPE = 'multipart/form-data; boundary="b b"'
const part = (disposition: string, value: string): string =>
  `--b b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`
const END = '--b b--\r\n'
const parse = (text: string, type = TYPE) => parseMultipart(Buffer.from(text), type)
const many = (count: number): string => part('name="n"', 'x').repeat(count)

describe('multipart forms', () => {
  it('give every value of a field, those with a file name too', async () => {
    const form = `${part('filename="x"; name="name"', 'six')}${part('name="n"', '')}${part('name="n"', 'ä\r\n\r\nb')}${END}`
    expect(await parse(form)).toEqual({ name: ['six'], n: ['', 'ä\r\n\r\nb'] })
  })

  it('take no more than the limit', async () => {
    expect((await parse(many(MAX_FIELDS) + END))['n']).toHaveLength(MAX_FIELDS)
    await expect(parse(many(MAX_FIELDS + 1) + END)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('more than 1000 fields'),
    })
  })

  it('far above the limit are refused before they are read to their end', async () => {
    const huge = Buffer.from(many(200_000) + END)
    const start = performance.now()
    await expect(parseMultipart(huge, TYPE)).rejects.toMatchObject({ kind: 'invalid' })
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it.each([
    ['x', 'multipart/form-data'],
    ['x', TYPE],
    [part('name="n"', 'cut off'), TYPE],
    ['--b b\nContent-Disposition: form-data; name="n"\n\nx\n--b b--\n', TYPE],
  ])('that are none are refused: %j as %s', async (text, type) => {
    await expect(parse(text, type)).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('that are empty have no fields', async () => {
    expect(await parse('')).toEqual({})
  })
})

describe('urlencoded forms', () => {
  it('give every value of a field', () => {
    expect(parseUrlEncoded('a=1&b=x+y&a=%C3%A4&c')).toEqual({ a: ['1', 'ä'], b: ['x y'], c: [''] })
  })

  it('with very many fields are read in one pass', () => {
    const body = Array.from({ length: 100_000 }, (_, index) => `f${index}=1`).join('&')
    const start = performance.now()
    expect(Object.keys(parseUrlEncoded(body))).toHaveLength(100_000)
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})
