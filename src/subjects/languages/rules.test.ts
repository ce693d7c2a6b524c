import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadLanguageRules } from './rules.ts'

it('reads from what was kept what it read from the library, and reads that again when it is gone', () => {
  const folder = join(import.meta.dirname, '../../../node_modules/.cache/linguist')
  const shown = ({
    languages,
    byName,
    byExtension,
    byInterpreter,
    byAlias,
    heuristics,
    foreign,
  }: ReturnType<typeof loadLanguageRules>) => ({
    languages,
    byName,
    byExtension,
    byInterpreter,
    byAlias,
    foreign,
    heuristics: new Map([...heuristics].map(([key, rules]) => [key, rules.map(({ language }) => language)])),
  })
  const kept = [loadLanguageRules(), loadLanguageRules()].map(shown)
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  expect(kept[0]).toEqual(shown(loadLanguageRules()))
  expect(kept[1]).toEqual(kept[0])
})
