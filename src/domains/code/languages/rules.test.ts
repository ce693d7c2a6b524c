import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadLanguageRules } from './rules.ts'

it('reads the same rules from the cache and, after its deletion, from the library', () => {
  const folder = join(import.meta.dirname, '../../../../node_modules/.cache/linguist')
  const comparable = ({
    languages,
    byName,
    byExtension,
    byInterpreter,
    byAlias,
    heuristics,
    excluded,
  }: ReturnType<typeof loadLanguageRules>) => ({
    languages,
    byName,
    byExtension,
    byInterpreter,
    byAlias,
    excluded,
    heuristics: new Map([...heuristics].map(([key, rules]) => [key, rules.map(({ language }) => language)])),
  })
  const cached = [loadLanguageRules(), loadLanguageRules()].map(comparable)
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  expect(cached[0]).toEqual(comparable(loadLanguageRules()))
  expect(cached[1]).toEqual(cached[0])
})
