import { describe, expect, it } from 'vitest'
import { readPushSettings } from './push-settings.ts'

describe('settings in push options', () => {
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
