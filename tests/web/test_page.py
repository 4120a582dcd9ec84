"""The page in a real browser: it types, steps, drags, and reads numbers off the page."""

import numpy as np
import pytest

from regard.learn import lesson_on
from regard.learn.bench import Bench, look_at
from regard.predictor import Change
from regard.text import Pair
from tests.access import browsing, needs_browser, violations
from tests.web.served import predictor, serving

pytestmark = [needs_browser, pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


@pytest.fixture(scope="module")
def browser():
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def client():
    models = {
        "first": predictor(),
        "second": predictor("transformer"),
        "last state": predictor("none"),
    }
    with serving(models) as found:
        found.models = models
        yield found


@pytest.fixture
def page(browser, client):
    context = browser.new_context(viewport={"width": 1200, "height": 900}, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=client.address)
    opened = context.new_page()
    opened.troubles = []
    opened.on("console", lambda message: opened.troubles.append(message.text)
              if message.type in ("error", "warning") and "422" not in message.text else None)  # fmt: skip
    opened.on("pageerror", lambda error: opened.troubles.append(str(error)))
    opened.on("request", lambda request: opened.troubles.append(request.url)
              if not request.url.startswith(client.address) else None)  # fmt: skip
    opened.goto(client.address)
    opened.wait_for_selector("body[data-ready]")
    yield opened
    assert opened.troubles == []
    context.close()


def typed(page, text):
    page.fill("#source", text)
    page.wait_for_function(
        "text => document.querySelectorAll('.view').length && "
        "[...document.querySelectorAll('table.map thead th')].map(one => one.textContent)"
        ".join('').startsWith(text)",
        arg=text,
    )


def stepped(page, step):
    page.click(f"table.map tbody tr:nth-child({step}) th")
    page.wait_for_selector(f"#stepper h2:has-text('Step {step} of')")


def column(page, name, part="step"):
    return [
        float(text)
        for text in page.locator(f"[data-part={part}] [data-number={name}]").all_text_contents()
    ]


def test_what_is_typed_is_predicted_with_its_map(page, client):
    typed(page, "abcd")
    prediction = client.models["first"].predict("abcd")
    assert page.text_content("[data-number=target]") == prediction.text
    assert float(page.text_content("[data-number=log_prob]")) == pytest.approx(
        prediction.log_prob, abs=1e-4
    )
    cells = page.locator("table.map td.cell")
    shown = [
        float(label.split("weight ")[1].split(",")[0])
        for label in cells.evaluate_all("all => all.map(one => one.ariaLabel)")
    ]
    assert np.allclose(shown, prediction.alignment.weights.flatten(), atol=6e-4)


def test_the_best_candidates_are_listed_and_can_be_forced(page, client):
    typed(page, "abc")
    best = client.models["first"].predict("abc", beam_size=5, n_best=5)
    names = page.locator("[data-part=candidates] tbody bdi").all_text_contents()
    assert names == [one.text or "(nothing)" for one in best.candidates]
    page.click("[data-part=candidates] tbody tr:nth-child(3) button")
    page.wait_for_function(
        "text => document.querySelector('[data-number=target]').textContent === text", arg=names[2]
    )


def test_a_step_shows_the_numbers_of_each_stage(page, client):
    typed(page, "abcd")
    stepped(page, 2)
    model = client.models["first"]
    looked = model.look_up(Pair("abcd", model.predict("abcd").text), 2)
    assert np.allclose(column(page, "score"), looked.scores[0], atol=6e-4)
    assert np.allclose(column(page, "weight"), looked.weights, atol=6e-5)
    assert page.text_content("[data-number=written]") == looked.written
    shown = column(page, "before", "symbols")
    assert shown[0] == pytest.approx(looked.likeliest[0][1], abs=6e-5)
    page.click("text=next step")
    page.wait_for_selector("#stepper h2:has-text('Step 3 of')")


def test_erasing_and_dragging_weight_shows_what_would_be_written(page, client):
    typed(page, "abcd")
    stepped(page, 1)
    model = client.models["first"]
    pair = Pair("abcd", model.predict("abcd").text)
    page.click("[data-part=step] tbody tr:nth-child(2) button")
    page.wait_for_function(
        "() => document.querySelectorAll('[data-number=after]')[0].textContent !== ''"
    )
    after = model.look_up(pair, 1, Change(erased=(1,)))
    assert np.allclose(column(page, "changed"), after.weights, atol=6e-5)
    page.click("text=Undo changes")
    page.wait_for_function(
        "() => document.querySelectorAll('[data-number=after]')[0].textContent === ''"
    )
    slider = page.locator("[data-part=step] tbody tr:nth-child(3) input")
    slider.evaluate("one => { one.value = 0.9; one.dispatchEvent(new Event('input')); }")
    page.wait_for_function(
        "() => document.querySelectorAll('[data-number=after]')[0].textContent !== ''"
    )
    moved = model.look_up(pair, 1, Change(moved={2: 0.9}))
    assert np.allclose(column(page, "changed"), moved.weights, atol=6e-5)
    order = np.argsort(-moved.chances)
    assert max(column(page, "after", "symbols")) == pytest.approx(moved.chances[order[0]], abs=6e-5)


def test_a_dragged_weight_is_followed_all_the_way(page, client):
    """Every answer is shown while the pointer still moves, and the last one in the end."""
    typed(page, "abcd")
    stepped(page, 1)
    slider = page.locator("[data-part=step] tbody tr:nth-child(1) input")
    seen = slider.evaluate("""async one => {
      const seen = new Set();
      for (let at = 1; at <= 60; at += 1) {
        one.value = at / 100;
        one.dispatchEvent(new Event("input"));
        await new Promise(done => requestAnimationFrame(done));
        seen.add(document.querySelector("[data-number=changed]").textContent);
      }
      return seen.size;
    }""")
    assert seen > 2
    page.wait_for_function(
        "() => document.querySelector('[data-number=changed]').textContent === '0.6000'"
    )


def test_the_map_is_walked_by_keys_and_read_aloud(page, client):
    typed(page, "abc")
    page.focus("table.map td.cell[tabindex='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    alignment = client.models["first"].predict("abc").alignment
    said = page.text_content(".said")
    assert said.startswith(f"row 2 {alignment.target[1].shown}, column 2 b, weight ")
    assert float(said.split("weight ")[1].split(",")[0]) == pytest.approx(
        alignment.weights[1, 1], abs=6e-4
    )
    page.keyboard.press("Enter")
    page.wait_for_selector("#stepper h2:has-text('Step 2 of')")


def test_a_hovered_symbol_lights_up_the_source(page):
    typed(page, "abc")
    page.hover("table.map tbody tr:nth-child(1) td.cell")
    assert page.locator(".strip bdi").first.evaluate("one => one.style.background") != ""


def test_pictures_links_and_numbers_are_copied(page, client):
    typed(page, "abc")
    tested = client.ask("/inspect", {"source": "abc"}).body
    for name, expected in (("SVG", tested["svg"]), ("Pharaoh", tested["alignment"]["pharaoh"])):
        page.click(f"text=Copy {name}")
        page.wait_for_selector("text=Copied")
        assert page.evaluate("navigator.clipboard.readText()").strip() == expected.strip()
        page.wait_for_selector(f"text=Copy {name}")


def test_two_models_stand_side_by_side_and_one_without_a_map_says_so(page, client):
    page.select_option("#beside", "second")
    typed(page, "abc")
    page.wait_for_function("() => document.querySelectorAll('.view').length === 2")
    texts = page.locator("[data-number=target]").all_text_contents()
    assert texts == [client.models[name].predict("abc").text for name in ("first", "second")]
    page.select_option("#beside", "last state")
    page.wait_for_selector("text=This model never looks back")


def test_a_mistake_is_told_and_goes_away(page):
    page.fill("#source", "a" * 41)
    page.wait_for_function(
        "() => document.getElementById('trouble').textContent.includes('41 characters')"
    )
    typed(page, "abc")
    assert page.text_content("#trouble") == ""


def test_text_is_shown_as_text(page):
    page.fill("#source", "<b onmouseover=alert(1)>&<script>")
    page.wait_for_selector("table.map")
    page.wait_for_timeout(300)
    assert page.locator("main script, main b").count() == 0
    assert "<" in page.locator(".strip").first.text_content()


@pytest.mark.parametrize("text", ["مرحبا", "각하다", "नमस्ते", "שלום"])
def test_every_script_has_a_column_a_symbol_in_the_order_of_reading(page, text):
    import regex

    page.fill("#source", text)
    page.wait_for_function(
        "count => document.querySelectorAll('table.map thead th').length === count + 1",
        arg=len(regex.findall(r"\X", text)),
    )
    places = page.locator("table.map thead th").evaluate_all(
        "all => all.map(one => [one.textContent, one.getBoundingClientRect().left])"
    )
    assert "".join(one[0] for one in places[:-1]) == text
    assert [one[1] for one in places] == sorted(one[1] for one in places)


class TestTheLaboratory:
    def opened(self, page):
        page.click("#tab-laboratory")
        page.wait_for_selector("[data-context]")

    def shown(self, page, name):
        return [
            float(text)
            for text in page.locator(f"#laboratory [data-number={name}]").all_text_contents()
        ]

    def bench(self, **changes):
        whole = {
            "query": [[1.2, 0.5]],
            "keys": [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]],
            "values": [[1.5, 0.8], [-0.4, 1.6], [-1.4, -0.9]],
        }
        return look_at(Bench(**(whole | changes)))

    def test_its_numbers_are_the_librarys(self, page):
        self.opened(page)
        assert np.allclose(self.shown(page, "weight"), self.bench().weights[0], atol=6e-4)
        assert np.allclose(self.shown(page, "score"), self.bench().scores[0], atol=6e-4)

    def test_dragging_the_query_moves_everything(self, page):
        self.opened(page)
        box = page.locator("svg.plane").bounding_box()

        def at(x, y):
            return (
                box["x"] + (x / 2.4 + 1) / 2 * box["width"],
                box["y"] + (1 - y / 2.4) / 2 * box["height"],
            )

        page.mouse.move(*at(1.2, 0.5))
        page.mouse.down()
        page.mouse.move(*at(-1.5, 1.0), steps=4)
        page.mouse.up()
        page.wait_for_function(
            "Number(document.querySelector('#laboratory [data-operand=query] input').value) < -1.4"
        )
        page.wait_for_timeout(300)
        query = [
            float(one)
            for one in page.locator("[data-operand=query] input").evaluate_all(
                "all => all.map(one => one.value)"
            )
        ]
        expected = self.bench(query=[query])
        assert np.allclose(self.shown(page, "weight"), expected.weights[0], atol=1e-3)

    def test_keys_move_it_too(self, page):
        self.opened(page)
        page.focus("[data-name='query 0']")
        page.keyboard.press("ArrowUp")
        page.wait_for_function(
            "() => document.querySelector('[data-name=\"query 0\"]').ariaLabel.includes('1.2, 0.6')"
        )
        page.wait_for_timeout(200)
        expected = self.bench(query=[[1.2, 0.6]])
        assert np.allclose(self.shown(page, "weight"), expected.weights[0], atol=6e-4)

    def test_controls_keep_the_focus_and_every_key_counts(self, page):
        self.opened(page)
        page.focus("#laboratory input[type=range] >> nth=0")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "() => document.querySelector('[data-number=temperature]').textContent === '1.78'"
        )
        page.focus("[data-name='query 0']")
        for _ in range(10):
            page.keyboard.press("ArrowUp")
        page.wait_for_function(
            "() => document.querySelector('[data-name=\"query 0\"]').ariaLabel.includes('1.2, 1.5')"
        )
        page.wait_for_timeout(300)
        expected = self.bench(query=[[1.2, 1.5]], temperature=10**0.25)
        assert np.allclose(self.shown(page, "weight"), expected.weights[0], atol=6e-4)

    def test_identical_keys_share_evenly(self, page):
        self.opened(page)
        page.click("text=Make keys identical")
        page.wait_for_function(
            "() => document.querySelectorAll('#laboratory [data-number=weight]')[2].textContent === '0.333'"
        )

    def test_masks_done_right_and_wrong(self, page):
        self.opened(page)
        page.uncheck("[aria-label='key 1 open']")
        page.wait_for_function(
            "() => document.querySelectorAll('#laboratory [data-number=weight]')[0].textContent === '0'"
        )
        assert self.shown(page, "sum") == [1]
        page.select_option("#laboratory select >> nth=1", "after")
        page.wait_for_function(
            "() => document.querySelector('#laboratory [data-number=sum]').textContent !== '1.000' && "
            "document.querySelector('#laboratory [data-number=sum]').textContent !== '1'"
        )
        expected = self.bench(mask=[False, True, True], hiding="after")
        assert self.shown(page, "sum")[0] == pytest.approx(expected.sums[0], abs=6e-4)

    def test_it_stands_alone_without_a_model(self, browser):
        with serving({}) as alone:
            context = browser.new_context()
            opened = context.new_page()
            opened.goto(alone.address)
            opened.wait_for_selector("[data-context]")
            assert opened.locator("#tab-look").is_hidden()
            context.close()


def test_a_lesson_shows_the_numbers_of_the_command_line(page):
    page.click("#tab-lessons")
    page.click("[data-topic=context]")
    page.wait_for_selector("article[data-topic=context]")
    lesson = lesson_on("context")
    for name in ("weights", "context", "hull"):
        cells = page.locator(f"[data-figure={name}] tbody td").all_text_contents()
        assert np.allclose(
            [float(cell) for cell in cells], lesson.figure(name).numbers.flatten(), atol=6e-4
        )
    bench = page.locator("[data-heading=Mix] [data-part=bench]")
    bench.locator("[data-number=weight]").first.wait_for()
    shown = [float(one) for one in bench.locator("[data-number=weight]").all_text_contents()]
    assert np.allclose(shown, lesson.figure("weights").numbers, atol=6e-4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_nothing_is_inaccessible_or_cut_off(browser, client, scheme, width):
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    opened = context.new_page()
    opened.goto(client.address)
    opened.wait_for_selector("body[data-ready]")
    typed(opened, "abcd")
    stepped(opened, 1)
    opened.wait_for_timeout(300)
    violated = violations(opened)
    for tab, ready in (("laboratory", "[data-context]"), ("lessons", "article[data-topic]")):
        opened.click(f"#tab-{tab}")
        opened.wait_for_selector(ready)
        opened.wait_for_timeout(300)
        violated += violations(opened)
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.goto(f"{client.address}/docs")
    opened.wait_for_selector("body[data-ready]")
    violated += violations(opened)
    context.close()
    assert violated == []


def test_the_service_can_be_tried_on_its_page(page, client):
    page.goto(f"{client.address}/docs")
    page.wait_for_selector("body[data-ready]")
    page.locator("[data-path='/predict'] textarea").fill('{"sources": ["abc"]}')
    page.click("[data-path='/predict'] button")
    page.wait_for_selector("[data-path='/predict'] pre:has-text('log_prob')")
