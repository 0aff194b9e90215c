// A tiny router: the path decides the page; links are ordinary links caught on their way.

export type Route =
  | { page: 'landing' }
  | { page: 'terminal'; id: number }
  | { page: 'terminals' }
  | { page: 'console'; table: number }
  | { page: 'display'; table: number }
  | { page: 'pit' }
  | { page: 'cage' }
  | { page: 'admin' }
  | { page: 'lab' }
  | { page: 'gallery' }
  | {
      page: 'reports';
      day: string | null;
      table: number | null;
      round: number | null;
      part: 'people' | 'slips' | null;
    }
  | { page: 'unknown' };

export function parse(path: string): Route {
  const [first = '', second = ''] = path.split('/').filter(Boolean);
  const id = /^\d+$/.test(second) ? Number(second) : null;
  switch (first) {
    case '':
      return { page: 'landing' };
    case 'pit':
    case 'cage':
    case 'admin':
    case 'lab':
    case 'gallery':
      return { page: first };
    case 'reports':
      return reports(path);
    case 'terminal':
      if (second === '') return { page: 'terminals' };
      return id === null ? { page: 'unknown' } : { page: 'terminal', id };
    case 'console':
    case 'display':
      return id === null ? { page: 'unknown' } : { page: first, table: id };
    default:
      return { page: 'unknown' };
  }
}

/** /reports/2026-03-29/table/1/round/4711: a gaming day, a table of it, a round of that; or the day's people or slips. */
function reports(path: string): Route {
  const match =
    /^\/reports(?:\/(\d{4}-\d\d-\d\d)(?:\/(people|slips)|\/table\/(\d+)(?:\/round\/(\d+))?)?)?\/?$/.exec(
      path,
    );
  if (!match) return { page: 'unknown' };
  const number = (text: string | undefined) => (text === undefined ? null : Number(text));
  const [, day = null, part, table, round] = match;
  return {
    page: 'reports',
    day,
    table: number(table),
    round: number(round),
    part: part === 'people' || part === 'slips' ? part : null,
  };
}

class Router {
  route: Route = $state({ page: 'landing' });

  start(): void {
    this.route = parse(location.pathname);
    addEventListener('popstate', () => {
      this.route = parse(location.pathname);
    });
    addEventListener('click', (event) => {
      const link = (event.target as Element | null)?.closest?.('a');
      if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
      if (link.pathname.startsWith('/api')) return;
      event.preventDefault();
      this.go(link.pathname);
    });
  }

  /** Goes to a path; a development flag in the address stays. */
  go(path: string): void {
    history.pushState(null, '', path + location.search);
    this.route = parse(path);
    scrollTo(0, 0);
  }
}

export const router = new Router();
