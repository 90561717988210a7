# Rules about the source itself, run with the other tests.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/layers.py ${CMAKE_SOURCE_DIR}/src)
add_test(NAME sizes COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/sizes.py ${CMAKE_SOURCE_DIR})
add_test(NAME quotes COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/quotes.py ${CMAKE_SOURCE_DIR})
add_test(NAME quotes_self_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/quotes.py --self-test)
add_test(NAME deploy COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/deploy.py ${CMAKE_SOURCE_DIR}/deploy)
if(GRASPD_HARDEN)
  # The binary as it is shipped.
  add_test(NAME hardening COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/hardening.py $<TARGET_FILE:graspd>)
endif()
