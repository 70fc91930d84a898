// The site works without JavaScript. This script updates the query builder while the reader types.
(() => {
  const form = document.querySelector('form[data-live]');
  const result = document.querySelector('#built');
  if (!(form instanceof HTMLFormElement) || !result) return;
  const PAUSE_MS = 300;
  let timer = 0;
  let latest = 0;

  const update = async () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    const address = `${form.getAttribute('action')}?${query}`;
    const number = ++latest;
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    const text = await response.text();
    // Ignore a late response to an older query.
    if (number !== latest || !response.ok) return;
    const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('#built');
    if (!fresh) return;
    result.replaceChildren(...fresh.childNodes);
    history.replaceState(null, '', address);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      update().catch(() => {});
    }, PAUSE_MS);
  });
})();
