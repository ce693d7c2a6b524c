import { describe, expect, it } from 'vitest'
import { processorTime } from '../../../../test/harness/growth.ts'
import { MEASURED } from '../../../../test/harness/measured.ts'
import { parseJson } from './json.ts'
import { BODY_BYTES, JSON_DEPTH, JSON_VALUES } from './limits.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const list = (count: number): string => `[${Array.from({ length: count }, () => '1').join(',')}]`
const upTo = (unit: string, bytes = BODY_BYTES): string => unit.repeat(Math.floor(bytes / unit.length))

describe('JSON', () => {
  it('is read as it is', () => {
    for (const text of ['{"a":"\\\\","b":["\\"","]"],"":{}}', ' [1,-2,"x",null,true] ', '"a\\nb"', 'null', '7'])
      expect(parseJson(text)).toEqual(JSON.parse(text))
    expect(parseJson('{"a":1.0,"b":2e1,"c":1.5,"d":20}')).toEqual({ a: 1n, b: 20n, c: 1.5, d: 20 })
  })

  it('is read as it is, however many escapes a string has', () => {
    for (const unit of ['\\"', '\\\\', '"', 'x', '\n"', '\\\\"'])
      for (const count of [1, 99, 100, 101, 500]) {
        const value = { text: unit.repeat(count), next: [`${unit}]`, '}'] }
        expect(parseJson(`${JSON.stringify(value)}]`)).toEqual(value)
      }
  })

  it('is as deep and as wide as the limits say', () => {
    expect(parseJson(nested(JSON_DEPTH))).toBeInstanceOf(Array)
    expect(() => parseJson(nested(JSON_DEPTH + 1))).toThrow('[]: JSON is nested deeper than 100 levels')
    expect(parseJson(list(JSON_VALUES))).toHaveLength(JSON_VALUES)
    expect(() => parseJson(list(JSON_VALUES + 1))).toThrow('[]: JSON has more than 10000 values')
  })

  it.each([
    ['fractions', `{"x":[${upTo('1.0,')}1]}`],
    ['as many fractions as may be', `{"x":[${'1.0,'.repeat(JSON_VALUES - 10)}1]${upTo(' ', BODY_BYTES / 2)}}`],
    ['lists', `{"x":[${upTo('[],')}1]}`],
    ['nested lists', upTo('[')],
    ['nested objects', upTo('{"x":')],
    ['members', `{${Array.from({ length: 90_000 }, (_, index) => `"${index}":0`).join(',')}}`],
    ['as many members as may be', `{${Array.from({ length: 9_900 }, (_, n) => `"${n * 1e5}":"1, 1.0"`).join(',')}}`],
    ['quotation marks', upTo('"')],
    ['escapes', `{"x":"${upTo('\\"')}"}`],
    ['escapes of characters', `{"x":"${upTo('\\u4e2d')}"}`],
    ['digits', `{"x":${upTo('9')}.0}`],
    ['spaces', `{"x":${upTo(' ')}`],
    ['base64', `{"x":"${upTo('A')}"}`],
  ])('of 1 MiB of %s takes less than 50 ms', MEASURED, async (_, text) => {
    const parse = (): void => {
      try {
        parseJson(text)
      } catch (error) {
        expect(error).toMatchObject({ kind: 'invalid' })
      }
    }
    expect(await processorTime(parse)).toBeLessThan(50)
  })
})
