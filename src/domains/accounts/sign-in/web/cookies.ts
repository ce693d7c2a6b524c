import { type CookieSerializeOptions, fastifyCookie } from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Headers } from '../../../../core/access/viewer.ts'

/**
 * `session`: a signed-in user. `form`: a browser that is not signed in yet. `pending`: a browser that is at a provider.
 * `link`: a person at a provider who has no account yet. `provider`: where the user of the session signed in.
 */
type CookieName = 'session' | 'form' | 'pending' | 'link' | 'provider'

/** Reads the cookies of pages, and sets them in scopes of `withForms`. */
export type CookieJar = ReturnType<typeof createCookieJar>

/**
 * Cookies that scripts cannot read and that other sites cannot send with forms. Over HTTPS at the root of a host, a
 * name prefix prevents other hosts of the domain from setting them.
 */
export function createCookieJar(rootUrl: () => string) {
  const shape = (name: CookieName): { full: string; attributes: CookieSerializeOptions } => {
    const { protocol, pathname } = new URL(rootUrl())
    const secure = protocol === 'https:'
    const prefix = secure && pathname === '/' ? '__Host-' : ''
    const path = pathname.replace(/(.)\/$/, '$1')
    return { full: `${prefix}ingot_${name}`, attributes: { path, httpOnly: true, sameSite: 'lax', secure } }
  }
  return {
    /** Empty if the browser did not send this cookie. */
    read: ({ headers }: { readonly headers: Headers }, name: CookieName): string =>
      fastifyCookie.parse([headers['cookie']].flat()[0] ?? '')[shape(name).full] ?? '',
    /** `maxAge` in seconds; without it the cookie ends with the session of the browser. */
    set(reply: FastifyReply, name: CookieName, value: string, maxAge?: number): void {
      const { full, attributes } = shape(name)
      void reply.setCookie(full, value, maxAge === undefined ? attributes : { ...attributes, maxAge })
    },
    clear(reply: FastifyReply, name: CookieName): void {
      const { full, attributes } = shape(name)
      void reply.setCookie(full, '', { ...attributes, maxAge: 0 })
    },
  }
}
