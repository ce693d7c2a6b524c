import sanitizeHtml, { type IOptions } from 'sanitize-html'

/** NOTE: the types of the package are outdated. */
type Options = IOptions & { allowedEmptyAttributes: string[] }

const ELEMENTS = (
  'h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul li table thead tbody tfoot tr td th blockquote dl dt dd kbd q samp var hr ruby rt rp s strike ' +
  'summary details caption figure figcaption abbr bdo cite dfn mark small span time video wbr center label picture source input'
).split(' ')

const ANYWHERE = [
  'align',
  'alt',
  'dir',
  'title',
  'lang',
  'width',
  'height',
  'id',
  'class',
  'role',
  'aria-label',
  'aria-hidden',
  'data-markdown-generated-content',
  'data-source-position',
]
const FORBIDDEN_SCHEME = /^(?:javascript|vbscript|data):/i
const STYLED: ReadonlySet<string> = new Set(['div', 'span', 'p', 'tr', 'th', 'td'])
const COLOR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|rgba?\([\d\s,.%]{3,40}\)|hsla?\([\d\s,.%deg]{3,40}\))$/i

export interface SanitizeOptions {
  /** A random text per rendering: the `data-own` of elements that the renderer generates. */
  readonly mark: string
  readonly keepClasses: boolean
  /**
   * Replaces pictures and videos with links, for mail: loading them would reveal to other servers that the mail was
   * read.
   */
  readonly picturesAsLinks?: boolean
  /** Resolves relative URLs in HTML of the text; if absent, they are unchanged. */
  readonly links?: { readonly link: (target: string) => string; readonly image: (target: string) => string }
}

/**
 * The last step of every rendering: deletes all elements and attributes that are not allowed. Elements that the
 * renderer did not generate lose their classes, their ids get a prefix, and their relative URLs are resolved.
 */
export function sanitize(html: string, own: SanitizeOptions): string {
  const options: Options = {
    allowedTags: own.picturesAsLinks ? ELEMENTS.filter((element) => !LOADING.has(element)) : ELEMENTS,
    allowedAttributes: {
      '*': ANYWHERE,
      a: ['href', 'rel', 'target', 'name'],
      img: ['src', 'srcset', 'loading'],
      video: ['src', 'controls', 'poster'],
      source: ['src', 'srcset', 'media', 'type'],
      input: ['type', 'disabled', 'checked'],
      ol: ['start', 'reversed'],
      li: ['value'],
      td: ['colspan', 'rowspan', 'style'],
      th: ['colspan', 'rowspan', 'scope', 'style'],
      details: ['open'],
      time: ['datetime'],
      q: ['cite'],
      blockquote: ['cite'],
      del: ['cite', 'datetime'],
      ins: ['cite', 'datetime'],
      span: ['style'],
      div: ['style'],
      p: ['style'],
      tr: ['style'],
    },
    parseStyleAttributes: false,
    allowedEmptyAttributes: [
      'alt',
      'disabled',
      'checked',
      'open',
      'controls',
      'data-markdown-generated-content',
      'title',
    ],
    allowedSchemes: [],
    allowedSchemesAppliedToAttributes: [],
    allowProtocolRelative: true,
    nonBooleanAttributes: [],
    disallowedTagsMode: 'discard',
    nestingLimit: 200,
    parser: { lowerCaseAttributeNames: true },
    transformTags: {
      ...(own.picturesAsLinks && { img: linkOf(own), video: linkOf(own) }),
      '*': (tagName, attribs) => ({ tagName, attribs: cleanAttributes(tagName, attribs, own) }),
    },
    exclusiveFilter: (frame) => frame.tag === 'input' && frame.attribs['type'] !== 'checkbox',
  }
  // NOTE: a '>' of the text is escaped, so this matches tags only.
  return sanitizeHtml(html, options).replaceAll(' />', '/>')
}

type Attributes = Record<string, string>

const LOADING: ReadonlySet<string> = new Set(['img', 'picture', 'source', 'video'])

/** NOTE: a picture that the renderer generated is already in a link. */
const linkOf =
  ({ mark, links }: SanitizeOptions) =>
  (_: string, { src = '', alt = '', 'data-own': own }: Attributes) => {
    const text = alt || src
    if (own === mark || src === '') return { tagName: 'span', attribs: {}, text }
    return { tagName: 'a', attribs: { href: links?.image(src.trim()) ?? src }, text }
  }

function cleanAttributes(tag: string, attribs: Attributes, { mark, keepClasses, links }: SanitizeOptions): Attributes {
  const { 'data-own': own, style, ...clean } = attribs
  const generated = own === mark
  const colors = style !== undefined && STYLED.has(tag) ? colorsOf(style) : ''
  if (colors !== '') clean['style'] = colors
  if (!generated || !keepClasses) delete clean['class']
  if (!generated) cleanForeign(clean)
  deleteForbiddenAddresses(clean)
  if (!generated && links !== undefined) resolveAddresses(tag, clean, links)
  if (tag === 'a' && clean['href'] !== undefined) clean['rel'] ??= 'nofollow'
  return clean
}

const ONLY_GENERATED = ['target', 'rel', 'data-markdown-generated-content', 'data-source-position']

/** Cleans an element of the text, as opposed to one of the renderer; its id cannot equal one of the page. */
function cleanForeign(attribs: Attributes): void {
  if (attribs['id'] !== undefined) attribs['id'] = `user-content-${attribs['id'].replace(/^user-content-/, '')}`
  for (const name of ONLY_GENERATED) delete attribs[name]
}

const FORBIDDEN: readonly (readonly [name: string, value: RegExp])[] = [
  ['href', FORBIDDEN_SCHEME],
  ['src', FORBIDDEN_SCHEME],
  ['poster', FORBIDDEN_SCHEME],
  ['cite', FORBIDDEN_SCHEME],
  // A list of URLs: matches one anywhere in it.
  ['srcset', /(?:javascript|vbscript|data):/i],
]

function deleteForbiddenAddresses(attribs: Attributes): void {
  for (const [name, forbidden] of FORBIDDEN) {
    const value = attribs[name]
    if (value !== undefined && forbidden.test(stripControls(value))) delete attribs[name]
  }
}

const WITH_SOURCE: ReadonlySet<string> = new Set(['img', 'video', 'source'])

function resolveAddresses(
  tag: string,
  attribs: Attributes,
  { link, image }: NonNullable<SanitizeOptions['links']>,
): void {
  if (tag === 'a' && attribs['href'] !== undefined) attribs['href'] = link(attribs['href'].trim())
  if (WITH_SOURCE.has(tag) && attribs['src'] !== undefined) attribs['src'] = image(attribs['src'].trim())
}

/** The colour declarations of a style. */
function colorsOf(style: string): string {
  const kept = style.split(';').flatMap((declaration) => {
    const [name = '', value = ''] = declaration.split(':', 2).map((part) => part.trim())
    return /^(?:background-)?color$/i.test(name) && COLOR.test(value) ? [`${name.toLowerCase()}: ${value}`] : []
  })
  return kept.join('; ')
}

/** NOTE: browsers ignore tabs, newlines and control characters inside a scheme. */
const stripControls = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\s]/gu, '')
