import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cataloguedErrors, defaultErrors, errorCatalog } from '../../scripts/error-catalog.ts'
import { defineErrors } from '../../src/core/platform/errors.ts'

const duplicates = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, index) => texts.indexOf(text) !== index)

it('each code belongs to one error', () => {
  expect(duplicates([...cataloguedErrors(), ...defaultErrors()].map(({ code }) => code))).toEqual([])
})

it('each status has one error of a message', () => {
  const named = cataloguedErrors().filter(({ message }) => message !== '')
  expect(duplicates(named.map(({ status, message }) => `${status} ${message.replaceAll(/\{\w+\}/g, '{}')}`))).toEqual(
    [],
  )
})

it('every code is in the document', () => {
  const rows = errorCatalog().split('\n')
  for (const { code, status } of [...cataloguedErrors(), ...defaultErrors()])
    expect(
      rows.filter((row) => row.startsWith(`| \`${code}\` | ${status} |`)),
      code,
    ).toHaveLength(1)
})

it('an error has the code of its name, and its values in the message', () => {
  const { branchExists } = defineErrors({ branchExists: ['conflict', 'branch {name} of {repo} exists'] })
  expect(branchExists('a{repo}', 7)).toMatchObject({
    kind: 'conflict',
    code: 'branch_exists',
    message: 'branch a{repo} of 7 exists',
  })
  expect(branchExists('a', 7).with({ url: undefined })).toMatchObject({ code: 'branch_exists', members: {} })
})

const MESSAGE =
  /\b(notFound|unauthenticated|forbidden|notAllowed|conflict|badRequest|locked|tooLarge|unavailable|invalid)\(\s*(['`"][^\n]+?['`"]),?\s*\)/g

it('a message that occurs twice is in the catalogue', () => {
  const root = new URL('../../', import.meta.url).pathname
  const found = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(root + file, 'utf8').matchAll(MESSAGE)])
    .map(([, kind, message]) => `${kind}(${message!.replaceAll(/\$\{[^}]*\}/g, '{}')})`)
  expect(found.length).toBeGreaterThan(200)
  expect(duplicates(found)).toEqual([])
})
