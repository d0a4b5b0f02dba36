// The address describes what is shown: #/play/chefa?line=contiguous&from=…&turns=b2_d4&at=1

const OWN = new Set(['from', 'turns', 'at', 'w', 'b', 'mode', 'resigned']);

// Readable where the characters are harmless in a fragment.
const encode = (text) => encodeURIComponent(text).replace(/%(2C|3D|2B|3E|40|2F|3A)/g, (c) => (c === '%3E' ? c : decodeURIComponent(c))).replace(/%20/g, '~');

const decode = (text) => decodeURIComponent(text.replace(/~/g, ' '));

export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [page = '', game = ''] = path.split('/').map(decode);
  const values = {};
  for (const part of query.split('&').filter(Boolean)) {
    const cut = part.indexOf('=');
    values[decode(cut < 0 ? part : part.slice(0, cut))] = cut < 0 ? '' : decode(part.slice(cut + 1));
  }
  const options = Object.fromEntries(Object.entries(values).filter(([k]) => !OWN.has(k)));
  return {
    page: page || 'home',
    game,
    options,
    start: values.from ?? null,
    turns: values.turns ? values.turns.split('_') : [],
    at: values.at === undefined ? null : Number(values.at),
    players: { w: values.w ?? 'human', b: values.b ?? 'human' },
    mode: values.mode === 'study' ? 'study' : 'play',
    resigned: ['w', 'b'].includes(values.resigned) ? values.resigned : null,
  };
}

export function describe(tale) {
  const turns = tale.tip.path;
  const parts = Object.entries(tale.options).map(([k, v]) => [k, v]);
  if (tale.start) parts.push(['from', tale.start]);
  if (turns.length) parts.push(['turns', turns.join('_')]);
  if (tale.at.ply !== turns.length) parts.push(['at', String(tale.at.ply)]);
  if (tale.mode === 'study') parts.push(['mode', 'study']);
  else if (tale.resigned) parts.push(['resigned', tale.resigned]);
  if (tale.mode === 'play') for (const side of 'wb') if (tale.players[side] !== 'human') parts.push([side, tale.players[side]]);
  const query = parts.map(([k, v]) => `${encode(k)}=${encode(v)}`).join('&');
  return `#/play/${tale.game}${query ? `?${query}` : ''}`;
}
