import { describe, expect, it } from 'vitest'
import { parseSubmodules } from './contents/read/contents.service.ts'
import { expandPath, expandVariables } from '../migration/forks/template-variables.policy.ts'
import { createLicenseDetector } from './languages/languages.service.ts'
import { expectLinear, processorTime } from '../../../test/harness/growth.ts'
import { MEASURED } from '../../../test/harness/measured.ts'

describe('the text of a licence', () => {
  const LICENSE_BYTES = 128 * 1024
  const detect = createLicenseDetector()
  detect('read the templates')

  it.each<[string, (size: number) => string]>([
    ['one word', (size) => 'a '.repeat(size / 2)],
    ['different words', (size) => Array.from({ length: size / 5 }, (_, index) => index.toString(36)).join(' ')],
    ['open brackets', (size) => '<'.repeat(size)],
    ['brackets with names', (size) => `<${'a'.repeat(60)}`.repeat(size / 61)],
    ['copyright in one line', (size) => 'a copyright '.repeat(size / 12)],
    ['lines of copyright', (size) => 'copyright (c) a\n'.repeat(size / 16)],
    ['line ends', (size) => '\n'.repeat(size)],
  ])('is compared in linear time and in less than 50 milliseconds: %s', MEASURED, async (_, make) => {
    await expectLinear(detect, make, LICENSE_BYTES)
    expect(await processorTime(() => detect(make(LICENSE_BYTES)))).toBeLessThan(50)
  })
})

describe('a file of submodules', () => {
  it.each<[string, (size: number) => string]>([
    ['sections', (size) => '[submodule "a"]\npath=a\nurl=b\n'.repeat(size / 30)],
    ['quotation marks', (size) => `[submodule ${'"'.repeat(size)}`],
    ['spaces', (size) => `[submodule${' '.repeat(size)}`],
    ['spaces before a section', (size) => ' '.repeat(size)],
    ['backslashes', (size) => `[submodule "a"]\npath="${'\\"'.repeat(size / 2)}"`],
  ])('is parsed in linear time: %s', (_, make) => expectLinear(parseSubmodules, make, 250_000))
})

describe('a file of a template', () => {
  const variables = new Map([['A', 'a']])
  it.each<[string, (size: number) => string]>([
    ['variables', (size) => '$A '.repeat(size / 3)],
    ['dollar signs', (size) => '$'.repeat(size)],
    ['open braces', (size) => '${'.repeat(size / 2)],
    ['a brace without an end', (size) => `\${${'a$'.repeat(size / 2)}`],
  ])('is expanded in linear time: %s', (_, make) =>
    expectLinear(
      async (text: string) => [await expandVariables(text, variables), expandPath(text, variables)],
      make,
      50_000,
    ),
  )
})
