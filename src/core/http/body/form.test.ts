import { describe, expect, it } from 'vitest'
import { processorTime } from '../../../../test/harness/growth.ts'
import { parseMultipart, parseUrlEncoded } from './form.ts'
import { FORM_FIELDS } from './limits.ts'
import { MEASURED } from '../../../../test/harness/measured.ts'

const TYPE = 'multipart/form-data; boundary="b b"'
const part = (disposition: string, value: string): string =>
  `--b b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`
const END = '--b b--\r\n'
const parse = (text: string, type = TYPE) => parseMultipart(Buffer.from(text), type)
const many = (count: number): string => part('name="n"', 'x').repeat(count)

describe('multipart forms', () => {
  it('return every value of a field, including those with a file name', async () => {
    const form = `${part('filename="x"; name="name"', 'six')}${part('name="n"', '')}${part('name="n"', 'ä\r\n\r\nb')}${END}`
    expect(await parse(form)).toEqual({ name: ['six'], n: ['', 'ä\r\n\r\nb'] })
  })

  it('are refused above the limit', async () => {
    expect((await parse(many(FORM_FIELDS) + END))['n']).toHaveLength(FORM_FIELDS)
    await expect(parse(many(FORM_FIELDS + 1) + END)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('more than 1000 fields'),
    })
  })

  it.each([
    ['fields', many(200_000)],
    ['parts without a name', '--b b\r\n\r\n\r\n'.repeat(200_000)],
    ['parts with headers alone', '--b b\r\nA: b\r\n\r\n\r\n'.repeat(200_000)],
    ['beginnings of boundaries', `${part('name="n"', '\r\n--b \r\n--b  b'.repeat(200_000))}${many(2_000)}`],
  ])('with very many %s are refused in little time', MEASURED, async (_, text) => {
    const body = Buffer.from(text + END)
    const refuse = () => expect(parseMultipart(body, TYPE)).rejects.toMatchObject({ kind: 'invalid' })
    expect(await processorTime(refuse)).toBeLessThan(1_000)
  })

  it('with very many headers are read in little time', MEASURED, async () => {
    const headers = `--b b\r\n${'A: b\r\n'.repeat(200_000)}`
    const read = async () =>
      expect(await parse(`${headers}Content-Disposition: form-data; name="n"\r\n\r\nx\r\n${END}`)).toEqual({})
    expect(await processorTime(read)).toBeLessThan(1_000)
  })

  it.each([
    ['x', 'multipart/form-data'],
    ['x', TYPE],
    [part('name="n"', 'cut off'), TYPE],
    ['x', `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['--b b\nContent-Disposition: form-data; name="n"\n\nx\n--b b--\n', TYPE],
  ])('that are malformed are refused: %j as %s', async (text, type) => {
    await expect(parse(text, type)).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('that are empty have no fields', async () => {
    expect(await parse('')).toEqual({})
  })
})

describe('urlencoded forms', () => {
  it('return every value of a field', () => {
    expect(parseUrlEncoded('a=1&b=x+y&a=%C3%A4&c')).toEqual({ a: ['1', 'ä'], b: ['x y'], c: [''] })
  })

  it('are refused above the limit', MEASURED, async () => {
    const form = (count: number): string => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&')
    expect(Object.keys(parseUrlEncoded(form(FORM_FIELDS)))).toHaveLength(FORM_FIELDS)
    const message = '[]: form with more than 1000 fields'
    expect(() => parseUrlEncoded(form(FORM_FIELDS + 1))).toThrow(message)
    const long = form(100_000)
    expect(await processorTime(() => expect(() => parseUrlEncoded(long)).toThrow(message))).toBeLessThan(500)
  })
})
