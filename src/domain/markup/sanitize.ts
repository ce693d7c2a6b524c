import sanitizeHtml, { type IOptions } from 'sanitize-html'

/** NOTE: the package's types lag behind it. */
type Options = IOptions & { allowedEmptyAttributes: string[] }

const ELEMENTS = (
  'h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul li table thead tbody tfoot tr td th blockquote dl dt dd kbd q samp var hr ruby rt rp s strike ' +
  'summary details caption figure figcaption abbr bdo cite dfn mark small span time video wbr center label picture source input'
).split(' ')

const ANYWHERE = ['align', 'alt', 'dir', 'title', 'lang', 'width', 'height', 'id', 'class', 'role', 'aria-label', 'aria-hidden', 'data-markdown-generated-content', 'data-source-position']
const FORBIDDEN_SCHEME = /^(?:javascript|vbscript|data):/i
const COLOR = [/^#[0-9a-f]{3,8}$/i, /^[a-z]{3,30}$/i, /^rgba?\([\d\s,.%]{3,40}\)$/i, /^hsla?\([\d\s,.%deg]{3,40}\)$/i]

/**
 * The last step of every rendering: only known elements and attributes remain. Elements that the renderer made itself
 * carry `data-own="<mark>"`, a random text of this rendering; all others lose their classes and get their ids prefixed.
 */
export function sanitize(html: string, mark: string, keepClasses: boolean): string {
  const options: Options = {
    allowedTags: ELEMENTS,
    allowedAttributes: {
      '*': ANYWHERE,
      a: ['href', 'rel', 'target', 'name'],
      img: ['src', 'srcset', 'loading'],
      video: ['src', 'controls', 'poster'],
      source: ['src', 'srcset', 'media', 'type'],
      input: ['type', 'disabled', 'checked'],
      ol: ['start', 'reversed'],
      li: ['value'],
      td: ['colspan', 'rowspan'],
      th: ['colspan', 'rowspan', 'scope'],
      details: ['open'],
      time: ['datetime'],
      q: ['cite'],
      blockquote: ['cite'],
      del: ['cite', 'datetime'],
      ins: ['cite', 'datetime'],
      span: ['style'], div: ['style'], p: ['style'], tr: ['style'],
    },
    allowedStyles: { '*': { color: COLOR, 'background-color': COLOR } },
    allowedEmptyAttributes: ['alt', 'disabled', 'checked', 'open', 'controls', 'data-markdown-generated-content', 'title'],
    allowedSchemes: [],
    allowedSchemesAppliedToAttributes: [],
    allowProtocolRelative: true,
    nonBooleanAttributes: [],
    disallowedTagsMode: 'discard',
    nestingLimit: 200,
    parser: { lowerCaseAttributeNames: true },
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: cleanAttributes(tagName, attribs, { mark, keepClasses }) }) },
    exclusiveFilter: (frame) => frame.tag === 'input' && frame.attribs['type'] !== 'checkbox',
  }
  // NOTE: a '>' of the text itself is escaped by now, so this meets tags only.
  return sanitizeHtml(html, options).replaceAll(' />', '/>')
}

function cleanAttributes(tag: string, attribs: Record<string, string>, options: { mark: string; keepClasses: boolean }): Record<string, string> {
  const { 'data-own': own, ...clean } = attribs
  const generated = own === options.mark
  if (!generated || !options.keepClasses) delete clean['class']
  if (!generated) {
    if (clean['id'] !== undefined) clean['id'] = `user-content-${clean['id'].replace(/^user-content-/, '')}`
    delete clean['target']
    delete clean['rel']
    delete clean['data-markdown-generated-content']
    delete clean['data-source-position']
  }
  for (const name of ['href', 'src', 'poster', 'cite']) if (clean[name] !== undefined && FORBIDDEN_SCHEME.test(stripControls(clean[name]))) delete clean[name]
  if (clean['srcset'] !== undefined && /(?:javascript|vbscript|data):/i.test(stripControls(clean['srcset']))) delete clean['srcset']
  if (tag === 'a' && clean['href'] !== undefined) clean['rel'] ??= 'nofollow'
  return clean
}

/** NOTE: browsers ignore tabs, newlines and control characters inside a scheme. */
const stripControls = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\s]/gu, '')
