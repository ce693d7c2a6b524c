import { describe, expect, it } from 'vitest'
import { readDescription, readName, requireRoom } from './settings.policy.ts'

describe('names of secrets and variables', () => {
  it.each([
    ['a', 'A'],
    ['Deploy_Key', 'DEPLOY_KEY'],
    ['_x1', '_X1'],
    ['CI_TOKEN', 'CI_TOKEN'],
    ['GITEA', 'GITEA'],
    ['MY_GITHUB_X', 'MY_GITHUB_X'],
    ['n'.repeat(255), 'N'.repeat(255)],
  ])('%j is stored as %j', (text, name) => {
    expect(readName(text)).toBe(name)
  })

  it.each([
    '',
    '1st',
    'bad-name',
    'a b',
    'a.b',
    'a\nb',
    'a\n',
    'CI',
    'ci',
    'gitea_thing',
    'GITHUB_THING',
    'Forgejo_x',
    'ingot_x',
    'ı',
    'ſecret',
    'é',
    'n'.repeat(256),
  ])('refuses %j', (text) => {
    expect(readName(text)).toBeUndefined()
  })
})

it('truncates descriptions between characters', () => {
  expect(readDescription('d'.repeat(4096))).toHaveLength(4096)
  expect(readDescription('😀'.repeat(4097))).toBe('😀'.repeat(4096))
})

it('limits how many an owner has', () => {
  expect(() => requireRoom('secrets', 499)).not.toThrow()
  expect(() => requireRoom('secrets', 500)).toThrow('there are 500 secrets already')
})
