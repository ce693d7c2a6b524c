import { describe, expect, it } from 'vitest'
import { isRegisteredRedirect, isSafeRedirect } from '../oauth.policy.ts'

describe('redirect addresses', () => {
  it('are compared as a whole, ignoring case and one trailing slash', () => {
    const registered = ['https://app.example.test/cb', 'myapp://done']
    for (const uri of ['https://app.example.test/cb', 'https://APP.example.test/cb/', 'myapp://done'])
      expect(isRegisteredRedirect(registered, uri, true)).toBe(true)
    for (const uri of [
      '',
      'https://app.example.test/cb//',
      'https://app.example.test/cb?x=1',
      'https://app.example.test/cb/../x',
      'https://app.example.test.evil.test/cb',
      'http://app.example.test/cb',
      'https://app.example.test:444/cb',
    ]) {
      expect(isRegisteredRedirect(registered, uri, true)).toBe(false)
      expect(isRegisteredRedirect(registered, uri, false)).toBe(false)
    }
  })

  it('may have any port on a loopback address, for public clients over http only', () => {
    const registered = ['http://127.0.0.1', 'https://127.0.0.1', 'http://[::1]/cb']
    for (const uri of ['http://127.0.0.1:4711', 'http://127.0.0.1:4711/', 'http://[::1]:99/cb']) {
      expect(isRegisteredRedirect(registered, uri, false)).toBe(true)
      expect(isRegisteredRedirect(registered, uri, true)).toBe(false)
    }
    for (const uri of [
      'https://127.0.0.1:4711',
      'http://127.0.0.1:4711/other',
      'http://localhost:4711',
      'http://127.0.0.1@evil.test/',
      'http://user@127.0.0.1:80',
      'http://127.0.0.1.evil.test:80',
    ])
      expect(isRegisteredRedirect(registered, uri, false)).toBe(false)
  })

  it('must not use schemes that browsers run as scripts', () => {
    for (const uri of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', '/relative', ''])
      expect(isSafeRedirect(uri)).toBe(false)
    for (const uri of ['https://a.test/', 'myapp://x', 'http://127.0.0.1:1']) expect(isSafeRedirect(uri)).toBe(true)
  })
})
