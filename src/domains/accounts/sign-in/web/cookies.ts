import { type CookieSerializeOptions, fastifyCookie } from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Headers } from '../../../../core/access/credentials.ts'

/** Reads the cookies of pages, and sets them in scopes of `withForms`. */
export interface CookieJar {
  /** Empty when the browser sent none. */
  read(request: { readonly headers: Headers }, name: CookieName): string
  /** `maxAge` in seconds; without it the cookie ends with the session of the browser. */
  set(reply: FastifyReply, name: CookieName, value: string, maxAge?: number): void
  clear(reply: FastifyReply, name: CookieName): void
}

/** `session`: who is signed in. `form`: a browser that is not signed in yet. */
type CookieName = 'session' | 'form'

/**
 * Cookies that scripts cannot read and other sites do not send with forms. Over HTTPS at the root of a host their name
 * keeps other hosts of the domain from setting them.
 */
export function createCookieJar(rootUrl: () => string): CookieJar {
  const shape = (name: CookieName): { full: string; attributes: CookieSerializeOptions } => {
    const { protocol, pathname } = new URL(rootUrl())
    const secure = protocol === 'https:'
    const prefix = secure && pathname === '/' ? '__Host-' : ''
    const path = pathname.replace(/(.)\/$/, '$1')
    return { full: `${prefix}ingot_${name}`, attributes: { path, httpOnly: true, sameSite: 'lax', secure } }
  }
  return {
    read: ({ headers }, name) => fastifyCookie.parse([headers['cookie']].flat()[0] ?? '')[shape(name).full] ?? '',
    set(reply, name, value, maxAge) {
      const { full, attributes } = shape(name)
      void reply.setCookie(full, value, maxAge === undefined ? attributes : { ...attributes, maxAge })
    },
    clear(reply, name) {
      const { full, attributes } = shape(name)
      void reply.setCookie(full, '', { ...attributes, maxAge: 0 })
    },
  }
}
