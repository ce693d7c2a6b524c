import { describe, expect, it } from 'vitest'
import { pushFlag, pushOption } from './push-options.ts'

describe('push options', () => {
  it('are read by name, the last one winning, in plain text or base64', () => {
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

  it.each([
    [['force-push'], true],
    [['force-push=true'], true],
    [['force-push=false'], false],
    [['force'], false],
    [[], false],
  ])('%j sets the flag: %s', (options, set) => {
    expect(pushFlag(options, 'force-push')).toBe(set)
  })
})
