// The site reads without this. It only saves the reader a press of a button: the query builder answers while one types.
(() => {
  const form = document.querySelector('form[data-live]');
  const shown = document.querySelector('#built');
  if (!(form instanceof HTMLFormElement) || !shown) return;
  const PAUSE_MS = 300;
  let timer = 0;
  let asked = 0;

  const ask = async () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    const address = `${form.getAttribute('action')}?${query}`;
    const number = ++asked;
    const answer = await fetch(address, { headers: { Accept: 'text/html' } });
    const text = await answer.text();
    // A slower answer to an older question is not shown.
    if (number !== asked || !answer.ok) return;
    const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('#built');
    if (!fresh) return;
    shown.replaceChildren(...fresh.childNodes);
    history.replaceState(null, '', address);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { ask().catch(() => {}); }, PAUSE_MS);
  });
})();
