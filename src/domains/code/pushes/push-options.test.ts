import { describe, expect, it } from 'vitest'
import { pushFlag, pushOption, readPushSettings } from './decide-proposal.ts'

describe('pushOption', () => {
  it('returns the last value of the name, from plain text or base64', () => {
    const options = [
      'title=one',
      'titles=x',
      'title=two = 2',
      `description={base64}${Buffer.from('a\nä').toString('base64')}`,
    ]
    expect(pushOption(options, 'title')).toBe('two = 2')
    expect(pushOption(options, 'description')).toBe('a\nä')
    expect(pushOption(options, 'topic')).toBeUndefined()
  })
})

describe('pushFlag', () => {
  it.each([
    [['force-push'], true],
    [['force-push=true'], true],
    [['force-push=false'], false],
    [['force'], false],
    [[], false],
  ])('%j: %s', (options, set) => {
    expect(pushFlag(options, 'force-push')).toBe(set)
  })
})

describe('readPushSettings', () => {
  it.each([
    [[], undefined],
    [['ci.skip', 'topic=x', 'repo.privates=true', 'xrepo.private=true'], undefined],
    [['repo.private=true'], { private: true }],
    [['repo.private=FALSE', 'repo.template=1'], { private: false, template: true }],
    [['repo.template'], { template: true }],
    [['repo.private=true', 'repo.private=false'], { private: false }],
    [['repo.private=maybe'], {}],
    [['repo.private=constructor'], {}],
  ])('%j', (options, settings) => expect(readPushSettings(options)).toEqual(settings))
})
